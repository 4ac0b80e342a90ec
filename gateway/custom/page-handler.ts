// Handlers of pages that patients open by a link without signing in: rate-limited per address, with errors shown as pages.
import type { Clock } from '@clinic/lib/clock/clock.ts';
import type { Reason } from '@clinic/lib/errors/errors.ts';
import type { Language } from '@clinic/lib/formats/day-text.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import type { Request, RequestHandler, Response } from 'express';
import { describeError, logFailure } from '../http/errors.ts';
import { clientIp, requestIdOf } from '../http/request-log.ts';
import type { RateGroup } from '../http/route.ts';
import type { Transports } from '../http/rpc.ts';
import { setHeaders } from '../http/send.ts';
import type { Limits } from '../limits/limits.ts';
import type { Operating } from '../limits/operating-state.ts';
import { type Ending, noticePage, type PublicPage, sendPage } from './public-page.ts';

export type PageOptions = { transports: Transports; limits: Limits; operating: Operating; clock: Clock; log: Log };

/** Makes the page for an error: `unknown` for NOT_FOUND, `busy` for RATE_LIMITED, `failed` for everything else. */
export const endingPage =
  (texts: Record<Language, Record<'unknown' | 'busy' | 'failed', Ending>>) =>
  (reason: Reason, request: Request): PublicPage => {
    const lang = languageOf(request);
    const { unknown, busy, failed } = texts[lang];
    return noticePage(reason === 'NOT_FOUND' ? unknown : reason === 'RATE_LIMITED' ? busy : failed, lang, { mark: '!', state: 'closed' });
  };

/** `token` is '' when it is malformed; services treat that like a wrong signature. */
type Work = (token: string, caller: Caller, response: Response, request: Request) => Promise<void>;

/** English if the browser prefers it to Spanish, otherwise Spanish. */
export const languageOf = (request: Request): Language => (request.acceptsLanguages(['es', 'en']) === 'en' ? 'en' : 'es');

/** `path` is in Express syntax, with the parameter `token` where the page has one. */
export function pageHandler(
  { limits, log, rate = 'api' }: Pick<PageOptions, 'limits' | 'log'> & { rate?: RateGroup },
  path: string,
  toErrorPage: (reason: Reason, request: Request) => PublicPage,
  work: Work,
): RequestHandler {
  const limit = limits.of(rate);
  return async (request, response) => {
    response.locals.route = path;
    try {
      const check = await limit?.(clientIp(request));
      if (check) setHeaders(response, check.headers);
      if (check?.refused) throw check.refused;
      await work(tokenOf(request), anonymous(request, response), response, request);
    } catch (thrown) {
      const failure = describeError(thrown);
      logFailure(log, response, thrown, failure);
      sendPage(response, failure.status, toErrorPage(failure.error.reason, request));
    }
  };
}

const tokenOf = ({ params: { token } }: Request) => (typeof token === 'string' && /^[\w-]{66}$/.test(token) ? token : '');

const anonymous = (request: Request, response: Response): Caller => ({
  kind: 'anonymous',
  id: '',
  requestId: requestIdOf(response),
  ip: clientIp(request),
  role: '',
});
