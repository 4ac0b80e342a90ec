// Client of the chat provider's Graph API. Its errors distinguish a refusal from a call without a response, because in the second case a message
// may have been delivered.
import { setTimeout as sleep } from 'node:timers/promises';
import { UNREACHABLE_CODES } from '@clinic/lib/errors/errors.ts';
import { limitBody } from '@clinic/lib/http/limit-body.ts';
import { measureCalls } from '@clinic/lib/telemetry/external-calls.ts';
import { isTransient } from './provider-errors-rules.ts';

/** refused: the provider responded with an error. unsent: it could not be reached. unknown: it did not respond, and may have executed the call. */
type CallOutcome = 'refused' | 'unsent' | 'unknown';

export class ChatProviderError extends Error {
  readonly outcome: CallOutcome;
  readonly http: number;
  /** The provider's error code; 0 if it sent none. */
  readonly code: number;
  readonly details: string;
  constructor(outcome: CallOutcome, message: string, { http = 0, code = 0, details = '' } = {}) {
    super(message);
    this.name = 'ChatProviderError';
    this.outcome = outcome;
    this.http = http;
    this.code = code;
    this.details = details;
  }
}

type GraphError = { error?: { message?: string; code?: number; error_user_msg?: string; error_data?: { details?: string } } };

const CERTIFICATE_CODES = [
  ...['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
  ...['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ERR_TLS_CERT_ALTNAME_INVALID'],
];
const UNSENT_CODES = new Set([...UNREACHABLE_CODES, ...CERTIFICATE_CODES, 'UND_ERR_CONNECT_TIMEOUT']);
const TIMEOUT_MS = 2_000;
/** Longer than a connection may take (10 seconds, measured in steps of one), so that a message is known to be unsent if the provider cannot be reached. */
const SEND_TIMEOUT_MS = 12_000;
const DOWNLOAD_TIMEOUT_MS = 8_000;
/** Of a response other than a file. */
const MAX_RESPONSE_BYTES = 1024 * 1024;
const NUMBER_FIELDS = 'id,display_phone_number,verified_name,quality_rating,code_verification_status,name_status';

export type ChatProvider = ReturnType<typeof createChatProvider>;

/** `mediaHosts`: the hosts, other than that of `baseUrl`, from which files may be downloaded. */
export function createChatProvider(baseUrl: string, version: string, mediaHosts: string[] = []) {
  const { origin } = new URL(baseUrl);
  const base = /\/v\d+\.\d+\/?$/.test(baseUrl) ? baseUrl.replace(/\/$/, '') : `${baseUrl.replace(/\/$/, '')}/${version}`;

  async function call<T>(token: string, method: 'GET' | 'POST', path: string, body?: object, timeoutMs = TIMEOUT_MS): Promise<T> {
    const response = await fetchProvider(`${base}/${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const parsed = (await limitBody(response, MAX_RESPONSE_BYTES)
      .json()
      .catch(() => undefined)) as (GraphError & T) | undefined;
    if (response.ok && parsed) return parsed;
    if (response.ok) throw new ChatProviderError('unknown', 'The response of the chat provider could not be read');
    const { message, code, error_user_msg, error_data } = parsed?.error ?? {};
    const failure = { http: response.status, code: code ?? 0, details: error_data?.details ?? error_user_msg ?? '' };
    throw new ChatProviderError('refused', error_user_msg ?? message ?? `The provider responded with status ${response.status}`, failure);
  }
  const id = encodeURIComponent;

  // The names of the methods are values of the label `operation` in metrics.
  return measureCalls('chat', {
    addNumber: (token: string, wabaId: string, number: { cc: string; phone_number: string; verified_name: string }) =>
      call<{ id: string }>(token, 'POST', `${id(wabaId)}/phone_numbers`, number),
    async listNumbers(token: string, wabaId: string) {
      return (await call<{ data?: { id: string; display_phone_number?: string }[] }>(token, 'GET', `${id(wabaId)}/phone_numbers`)).data ?? [];
    },
    requestCode: (token: string, numberId: string, method: 'SMS' | 'VOICE') =>
      call(token, 'POST', `${id(numberId)}/request_code`, { code_method: method, language: 'es_ES' }),
    verifyCode: (token: string, numberId: string, code: string) => call(token, 'POST', `${id(numberId)}/verify_code`, { code }),
    register: (token: string, numberId: string, pin: string) => call(token, 'POST', `${id(numberId)}/register`, { messaging_product: 'whatsapp', pin }),
    deregister: (token: string, numberId: string) => call(token, 'POST', `${id(numberId)}/deregister`),
    subscribe: (token: string, wabaId: string) => call(token, 'POST', `${id(wabaId)}/subscribed_apps`),
    getNumber: (token: string, numberId: string) =>
      call<{ display_phone_number?: string; code_verification_status?: string }>(token, 'GET', `${id(numberId)}?fields=${NUMBER_FIELDS}`),
    /** Returns the provider's id of the message. */
    async send(token: string, numberId: string, body: Record<string, unknown>) {
      const { messages } = await call<{ messages?: { id?: string }[] }>(token, 'POST', `${id(numberId)}/messages`, body, SEND_TIMEOUT_MS);
      const sent = messages?.[0]?.id;
      if (!sent) throw new ChatProviderError('unknown', 'The provider accepted the message without returning its id');
      return { id: sent };
    },
    /** Sends a read receipt to the patient's phone. */
    markRead: (token: string, numberId: string, messageId: string) =>
      call(token, 'POST', `${id(numberId)}/messages`, { messaging_product: 'whatsapp', status: 'read', message_id: messageId }),
    media: (token: string, mediaId: string) => call<{ url: string; mime_type: string; file_size?: number }>(token, 'GET', id(mediaId)),
    /** Streams the content of a media URL of the provider. `size` is in bytes, 0 when unknown. */
    async download(token: string, url: string, signal: AbortSignal) {
      const file = URL.parse(url);
      if (file?.origin !== origin && !(file?.protocol === 'https:' && mediaHosts.includes(file.host)))
        throw new ChatProviderError('refused', 'The provider named a file outside its hosts');
      const timeout = new AbortController();
      const timer = setTimeout(() => timeout.abort(), DOWNLOAD_TIMEOUT_MS);
      const init = { headers: { Authorization: `Bearer ${token}` }, signal: AbortSignal.any([signal, timeout.signal]) };
      const response = await fetchProvider(url, init).finally(() => clearTimeout(timer));
      if (!response.ok) {
        await response.body?.cancel();
        throw new ChatProviderError('refused', `The provider responded with status ${response.status}`, { http: response.status });
      }
      const encoded = response.headers.has('content-encoding'); // then content-length counts the encoded bytes
      return { size: encoded ? 0 : Number(response.headers.get('content-length') ?? 0), chunks: chunksOf(response.body ?? []) };
    },
  });
}

/** Does not follow redirects, so that the token and the content of messages are sent to the provider only. */
async function fetchProvider(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: 'manual' });
  } catch (error) {
    throw isUnsent((error as { cause?: ConnectionError }).cause)
      ? new ChatProviderError('unsent', 'The chat provider is unavailable')
      : new ChatProviderError('unknown', 'The chat provider did not answer in time');
  }
}

type ConnectionError = { name?: string; code?: string; syscall?: string };

/** Whether no connection was made. If no address of a host can be connected to, the error is an AggregateError with the code of the first one. */
const isUnsent = ({ name, code = '', syscall }: ConnectionError = {}) => name === 'AggregateError' || syscall === 'connect' || UNSENT_CODES.has(code);

const FIRST_CHUNK_BYTES = 16;

/** Joins the first chunks until they are long enough to recognise the type of the file, or until the file ends. */
async function* chunksOf(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let start: Uint8Array | undefined = new Uint8Array();
  try {
    for await (const chunk of body) {
      const whole: Uint8Array = start ? Buffer.concat([start, chunk]) : chunk;
      if (start && whole.length < FIRST_CHUNK_BYTES) start = whole;
      else {
        start = undefined;
        yield whole;
      }
    }
    if (start) yield start;
  } catch {
    throw new ChatProviderError('unknown', 'The chat provider ended the download early');
  }
}

const RETRY_PAUSE_MS = 300;

/** Repeats the call once after a transient failure. For calls during which a user waits. Throws ChatProviderError. */
export async function retryOnce<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ChatProviderError) || !isTransient(error)) throw error;
    await sleep(RETRY_PAUSE_MS);
    return call();
  }
}
