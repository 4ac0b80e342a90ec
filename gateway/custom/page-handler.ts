// Handlers of pages that patients open by a link without signing in: rate-limited per address, with errors shown as pages.
import type { Clock } from '@clinic/lib/clock/clock.ts';
import { LINK_TOKEN } from '@clinic/lib/crypto/link-token.ts';
import type { Reason } from '@clinic/lib/errors/errors.ts';
import type { Language } from '@clinic/lib/formats/day-text.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import type { OperatingState } from '@clinic/proto/identity/v1/access_pb.js';
import type { Request, RequestHandler, Response } from 'express';
import { describeError, logFailure } from '../http/errors.ts';
import { clientIp, requestIdOf } from '../http/request-log.ts';
import type { RateGroup } from '../http/route.ts';
import type { Transports } from '../http/rpc.ts';
import { setHeaders } from '../http/send.ts';
import type { Limits } from '../limits/limits.ts';
import type { Operating } from '../limits/operating-state.ts';
import { maintenanceNote } from './maintenance-note.ts';
import { type Ending, noticePage, type PublicPage, phoneLine, sendPage } from './public-page.ts';

export type PageOptions = { transports: Transports; limits: Limits; operating: Operating; clock: Clock; log: Log };

/** What an error page shows besides the error: of the clinic, if the handler has found it, and of maintenance that is under way. */
type Known = { clinic?: PageClinic; maintenance?: OperatingState['maintenance'] };
type PageClinic = { phone?: string | undefined; timezone?: string; embeddingOrigins?: string[] };

type ToErrorPage = (reason: Reason, request: Request, known?: Known) => PublicPage;

const BUSY: Record<Language, Ending> = {
  es: ['Un momento, por favor', 'Hay demasiadas solicitudes. Inténtelo de nuevo en unos minutos.'],
  en: ['One moment, please', 'There are too many requests. Try again in a few minutes.'],
};

/** Makes the page for an error: `unknown` for NOT_FOUND, BUSY for RATE_LIMITED, `paused` for READ_ONLY, `failed` for everything else. */
export const endingPage =
  (texts: Record<Language, Record<'unknown' | 'paused' | 'failed', Ending>>): ToErrorPage =>
  (reason, request, { clinic = {}, maintenance } = {}) => {
    const lang = languageOf(request);
    const { unknown, paused, failed } = texts[lang];
    const text = reason === 'NOT_FOUND' ? unknown : reason === 'RATE_LIMITED' ? BUSY[lang] : reason === 'READ_ONLY' ? paused : failed;
    const note = reason === 'READ_ONLY' && maintenance ? maintenanceNote(maintenance, lang, clinic.timezone) : '';
    return noticePage(text, lang, { mark: '!', state: 'closed', after: note + phoneLine(clinic.phone), ancestors: clinic.embeddingOrigins ?? [] });
  };

/** Makes the clinic known to the error page. */
export function rememberClinic(response: Response, { phone, timezone, embeddingOrigins }: PageClinic): void {
  response.locals.pageClinic = { phone, timezone, embeddingOrigins };
}

/** `token` is '' when it is malformed; services treat that like a wrong signature. */
type Work = (token: string, caller: Caller, response: Response, request: Request) => Promise<void>;

/** English if the browser prefers it to Spanish, otherwise Spanish. */
export const languageOf = (request: Request): Language => (request.acceptsLanguages(['es', 'en']) === 'en' ? 'en' : 'es');

/** `path` is in Express syntax, with the parameter `token` where the page has one. */
export function pageHandler(
  { limits, operating, log, rate }: Pick<PageOptions, 'limits' | 'operating' | 'log'> & { rate: RateGroup },
  path: string,
  toErrorPage: ToErrorPage,
  work: Work,
): RequestHandler {
  const limit = limits.of(rate);
  return async (request, response) => {
    response.locals.route = path;
    // The browser may go back to a page that answered a form, for example one with the refused input: it cannot load it again.
    if (request.method === 'POST') response.setHeader('Cache-Control', 'private, no-cache');
    try {
      const check = await limit?.(clientIp(request));
      if (check) setHeaders(response, check.headers);
      if (check?.refused) throw check.refused;
      await work(tokenOf(request), anonymous(request, response), response, request);
    } catch (thrown) {
      const failure = describeError(thrown);
      logFailure(log, response, thrown, failure);
      const { reason } = failure.error;
      setHeaders(response, failure.headers);
      const maintenance = operating.maintenance();
      sendPage(response, failure.status, toErrorPage(reason, request, { clinic: response.locals.pageClinic, ...(maintenance && { maintenance }) }));
    }
  };
}

const tokenOf = ({ params: { token } }: Request) => (typeof token === 'string' && LINK_TOKEN.test(token) ? token : '');

const anonymous = (request: Request, response: Response): Caller => ({
  kind: 'anonymous',
  id: '',
  requestId: requestIdOf(response),
  ip: clientIp(request),
  role: '',
});
