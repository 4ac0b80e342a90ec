// The HTTP API of the tax authority (Manual Técnico, sections 3 to 5). Its answer becomes a verdict. Without a clear answer in time the
// verdict is `unknown`, and the caller must query before it sends again.
import { createHash } from 'node:crypto';
import { Remembered } from '@clinic/lib/background/remembered.ts';
import type { Clock } from '@clinic/lib/clock/clock.ts';
import { limitBody } from '@clinic/lib/http/limit-body.ts';
import { measureExternalCall } from '@clinic/lib/telemetry/external-calls.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import type { Environment } from '../rules/kinds.ts';

export type Provider = { user: string; password: string };
export type Account = { clinicId: string; environment: Environment; provider: Provider };

type Accepted = { kind: 'accepted'; seal: string; code: string; observations: string[] };
export type Rejected = { kind: 'rejected'; code: string; observations: string[] };
/** The authority has decided. */
export type Decision = Accepted | Rejected;
export type Verdict =
  | Decision
  /** The authority has no such document. */
  | { kind: 'absent' }
  /** User or password is wrong, so nothing was sent. */
  | { kind: 'refused' }
  | { kind: 'unknown' };

const MAX_RESPONSE_BYTES = 1_048_576;

export const isDecision = (verdict: Verdict): verdict is Decision => verdict.kind === 'accepted' || verdict.kind === 'rejected';

type Submission = { environment: Environment; version: number; kind: string; jws: string; code: string };
type Query = { nit: string; kind: string; code: string };
export type AuthorityClient = ReturnType<typeof createAuthorityClient>;

const HOSTS = { '00': 'https://apitest.dtes.mh.gob.sv', '01': 'https://api.dtes.mh.gob.sv' };
/** A token is valid for 24 hours in production and for 48 in the test environment. */
const TOKEN_MS = 20 * 3_600_000;
/** Other statuses, such as 404 and 429, come from servers in front of the authority and say nothing about user and password. */
const SIGN_IN_ANSWERS = new Set([200, 400, 401, 403]);
const MAX_TOKENS = 5_000;
const MAX_OBSERVATIONS = 50;

type Answer = { status: number; body: Record<string, unknown> };

export function createAuthorityClient(options: { baseUrl: string | undefined; timeoutMs: number; clock: Clock; log: Log }) {
  const { timeoutMs, clock, log } = options;
  const tokens = new Remembered<{ token: string; until: number }>(MAX_TOKENS);

  /** Undefined without an answer in time. Hosts and bodies are not logged. */
  async function send(environment: Environment, path: string, init: RequestInit, limitMs: number): Promise<Answer | undefined> {
    try {
      const signal = AbortSignal.timeout(Math.max(1, Math.floor(Math.min(timeoutMs, limitMs))));
      const headers = { 'user-agent': 'clinic-management-service', ...init.headers };
      const url = new URL(path, options.baseUrl ?? HOSTS[environment]);
      const response = await measureExternalCall('tax-authority', path, () => fetch(url, { ...init, headers, redirect: 'error', signal }));
      const body: unknown = await limitBody(response, MAX_RESPONSE_BYTES).json();
      return { status: response.status, body: typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {} };
    } catch (error) {
      log.warn({ path, error: (error as Error).name }, 'the tax authority did not answer');
      return undefined;
    }
  }

  async function getToken(account: Account, limitMs: number, renew: boolean): Promise<string | 'refused' | undefined> {
    const { user, password } = account.provider;
    const key = createHash('sha256')
      .update(JSON.stringify([account.clinicId, account.environment, user, password]))
      .digest('base64');
    const cached = tokens.get(key);
    if (cached && !renew && cached.until > clock.now().getTime()) return cached.token;
    const body = new URLSearchParams({ user, pwd: password });
    const answer = await send(account.environment, '/seguridad/auth', { method: 'POST', body }, limitMs);
    if (!answer || !SIGN_IN_ANSWERS.has(answer.status)) return undefined;
    const token = (answer.body.body as { token?: unknown } | undefined)?.token;
    if (typeof token !== 'string') {
      log.warn({ clinicId: account.clinicId, environment: account.environment }, 'the tax authority refused user or password of an issuer');
      return 'refused';
    }
    tokens.set(key, { token, until: clock.now().getTime() + TOKEN_MS });
    return token;
  }

  /** Sends with the cached token, and once more with a new one when the authority refuses it. */
  async function sendAuthorized(account: Account, path: string, body: object, limitMs: number): Promise<Answer | 'refused' | undefined> {
    const ends = performance.now() + limitMs;
    for (const renew of [false, true]) {
      const token = await getToken(account, ends - performance.now(), renew);
      if (token === undefined || token === 'refused') return token;
      const headers = { 'content-type': 'application/json', authorization: token };
      const answer = await send(account.environment, path, { method: 'POST', headers, body: JSON.stringify(body) }, ends - performance.now());
      if (answer?.status !== 401 && answer?.status !== 403) return answer;
    }
    return undefined;
  }

  return {
    async receive(account: Account, { environment, version, kind, jws, code }: Submission, limitMs: number): Promise<Verdict> {
      const body = { ambiente: environment, idEnvio: 1, version, tipoDte: kind, documento: jws, codigoGeneracion: code };
      return toVerdict(await sendAuthorized(account, '/fesv/recepciondte', body, limitMs));
    },

    /** Whether the authority has a document: accepted, absent, refused or unknown. */
    async query(account: Account, { nit, kind, code }: Query, limitMs: number): Promise<Verdict> {
      const body = { nitEmisor: nit, tdte: kind, codigoGeneracion: code };
      const answer = await sendAuthorized(account, '/fesv/recepcion/consultadte/', body, limitMs);
      const verdict = toVerdict(answer);
      // Any clear answer without a seal means that it has no such document.
      const isClear = verdict.kind === 'rejected' || (verdict.kind === 'unknown' && typeof answer === 'object' && answer.status < 500);
      return isClear ? { kind: 'absent' } : verdict;
    },

    async invalidate(account: Account, { environment, version, jws }: Pick<Submission, 'environment' | 'version' | 'jws'>, limitMs: number): Promise<Verdict> {
      return toVerdict(await sendAuthorized(account, '/fesv/anulardte', { ambiente: environment, idEnvio: 1, version, documento: jws }, limitMs));
    },

    async reportContingency(account: Account, { nit, jws }: { nit: string; jws: string }, limitMs: number): Promise<Verdict> {
      return toVerdict(await sendAuthorized(account, '/fesv/contingencia', { nit, documento: jws }, limitMs));
    },
  };
}

/** PROCESADO without a valid seal counts as no answer. */
function toVerdict(answer: Answer | 'refused' | undefined): Verdict {
  if (answer === 'refused') return { kind: 'refused' };
  if (!answer) return { kind: 'unknown' };
  const { body } = answer;
  // PostgreSQL does not store NUL.
  const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, 500).replaceAll('\0', '').toWellFormed() : '');
  const code = text(body.codigoMsg);
  const listed = Array.isArray(body.observaciones) ? body.observaciones.map(text) : [text(body.observaciones)];
  const seal = text(body.selloRecibido);
  const isAccepted = body.estado === 'PROCESADO' || body.estado === 'RECIBIDO';
  const observations = [...(isAccepted ? [] : [text(body.descripcionMsg)]), ...listed].filter(Boolean).slice(0, MAX_OBSERVATIONS);
  if (isAccepted) return /^[A-Z0-9]{40}$/.test(seal) ? { kind: 'accepted', seal, code, observations } : { kind: 'unknown' };
  return body.estado === 'RECHAZADO' ? { kind: 'rejected', code, observations } : { kind: 'unknown' };
}
