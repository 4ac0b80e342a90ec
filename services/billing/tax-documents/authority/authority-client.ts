// The tax authority over HTTP (Manual Técnico, sections 3 to 5). What it answers is a verdict; what is no clear answer, or
// none in time, is `unknown`, and whoever asks must query before it sends again.
import { createHash } from 'node:crypto';
import type { Clock } from '@clinic/lib/runtime/clock.ts';
import { measureExternalCall } from '@clinic/lib/telemetry/external-calls.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';

export type Provider = { user: string; password: string };
export type Environment = '00' | '01';
export type Account = { clinicId: string; environment: Environment; provider: Provider };

export type Verdict =
  | { kind: 'accepted'; seal: string; code: string; observations: string[] }
  | { kind: 'rejected'; code: string; observations: string[] }
  | { kind: 'absent' }
  /** User or password are wrong: nothing was handed over. */
  | { kind: 'refused' }
  | { kind: 'unknown' };

export type Handover = { environment: Environment; version: number; kind: string; jws: string; code: string };
export type Query = { nit: string; kind: string; code: string };
export type Authority = ReturnType<typeof authorityAt>;

const HOSTS = { '00': 'https://apitest.dtes.mh.gob.sv', '01': 'https://api.dtes.mh.gob.sv' };
/** A token lives 24 hours in earnest and 48 in tests; it is renewed each day. */
const TOKEN_MS = 20 * 3_600_000;
const MOST_TOKENS = 5_000;

type Answer = { status: number; body: Record<string, unknown> };

export function authorityAt(options: { baseUrl: string | undefined; timeoutMs: number; clock: Clock; log: Log }) {
  const { timeoutMs, clock, log } = options;
  const tokens = new Map<string, { token: string; until: number }>();

  /** Undefined when nothing came in time. Addresses and bodies stay out of the log. */
  async function send(environment: Environment, path: string, init: RequestInit, leftMs: number): Promise<Answer | undefined> {
    try {
      const signal = AbortSignal.timeout(Math.max(1, Math.floor(Math.min(timeoutMs, leftMs))));
      const headers = { 'user-agent': 'clinic-management-service', ...init.headers };
      const url = new URL(path, options.baseUrl ?? HOSTS[environment]);
      const response = await measureExternalCall('tax-authority', path, () => fetch(url, { ...init, headers, redirect: 'error', signal }));
      const body: unknown = await response.json();
      return { status: response.status, body: typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {} };
    } catch (error) {
      log.warn({ path, error: (error as Error).name }, 'the tax authority did not answer');
      return undefined;
    }
  }

  async function tokenFor(account: Account, leftMs: number, renew: boolean): Promise<string | 'refused' | undefined> {
    const { user, password } = account.provider;
    const name = createHash('sha256')
      .update(JSON.stringify([account.clinicId, account.environment, user, password]))
      .digest('base64');
    const known = tokens.get(name);
    if (known && !renew && known.until > clock.now().getTime()) return known.token;
    const body = new URLSearchParams({ user, pwd: password });
    const answer = await send(account.environment, '/seguridad/auth', { method: 'POST', body }, leftMs);
    if (!answer || answer.status >= 500) return undefined;
    const token = (answer.body.body as { token?: unknown } | undefined)?.token;
    if (typeof token !== 'string') return 'refused';
    if (tokens.size >= MOST_TOKENS) tokens.clear();
    tokens.set(name, { token, until: clock.now().getTime() + TOKEN_MS });
    return token;
  }

  /** Sends with the token there is, and once more with a new one when that has ended early. */
  async function authorised(account: Account, path: string, body: object, leftMs: number): Promise<Answer | 'refused' | undefined> {
    const ends = performance.now() + leftMs;
    for (const renew of [false, true]) {
      const token = await tokenFor(account, ends - performance.now(), renew);
      if (token === undefined || token === 'refused') return token;
      const headers = { 'content-type': 'application/json', authorization: token };
      const answer = await send(account.environment, path, { method: 'POST', headers, body: JSON.stringify(body) }, ends - performance.now());
      if (answer?.status !== 401 && answer?.status !== 403) return answer;
    }
    return undefined;
  }

  const verdict = (answer: Answer | 'refused' | undefined): Verdict =>
    answer === 'refused' ? { kind: 'refused' } : answer ? judge(answer) : { kind: 'unknown' };

  return {
    /** How long an answer is waited for. */
    timeoutMs,
    /** Hands a document over. */
    receive: async (account: Account, { environment, version, kind, jws, code }: Handover, leftMs: number): Promise<Verdict> =>
      verdict(
        await authorised(
          account,
          '/fesv/recepciondte',
          { ambiente: environment, idEnvio: 1, version, tipoDte: kind, documento: jws, codigoGeneracion: code },
          leftMs,
        ),
      ),
    /** Whether it has a document: accepted, absent, or unknown. */
    async query(account: Account, { nit, kind, code }: Query, leftMs: number): Promise<Verdict> {
      const answer = await authorised(account, '/fesv/recepcion/consultadte/', { nitEmisor: nit, tdte: kind, codigoGeneracion: code }, leftMs);
      const known = verdict(answer);
      // Any clear answer but a seal says that it has no such document.
      return known.kind === 'rejected' || (known.kind === 'unknown' && typeof answer === 'object' && answer.status < 500) ? { kind: 'absent' } : known;
    },
    invalidate: async (account: Account, { environment, version, jws }: Pick<Handover, 'environment' | 'version' | 'jws'>, leftMs: number): Promise<Verdict> =>
      verdict(await authorised(account, '/fesv/anulardte', { ambiente: environment, idEnvio: 1, version, documento: jws }, leftMs)),
    tellContingency: async (account: Account, { nit, jws }: { nit: string; jws: string }, leftMs: number): Promise<Verdict> =>
      verdict(await authorised(account, '/fesv/contingencia', { nit, documento: jws }, leftMs)),
    /** False when user and password are certainly wrong. */
    knows: async (account: Account, leftMs: number): Promise<boolean> => (await tokenFor(account, leftMs, true)) !== 'refused',
  };
}

const MOST_OBSERVATIONS = 50;

/** PROCESADO without a seal is not issued, so it counts as no answer. */
function judge({ body }: Answer): Verdict {
  const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, 500) : '');
  const code = text(body.codigoMsg);
  const listed = Array.isArray(body.observaciones) ? body.observaciones.map(text) : [text(body.observaciones)];
  const seal = text(body.selloRecibido);
  const isAccepted = body.estado === 'PROCESADO' || body.estado === 'RECIBIDO';
  const observations = [...(isAccepted ? [] : [text(body.descripcionMsg)]), ...listed].filter(Boolean).slice(0, MOST_OBSERVATIONS);
  if (isAccepted) return /^[A-Z0-9]{40}$/.test(seal) ? { kind: 'accepted', seal, code, observations } : { kind: 'unknown' };
  return body.estado === 'RECHAZADO' ? { kind: 'rejected', code, observations } : { kind: 'unknown' };
}
