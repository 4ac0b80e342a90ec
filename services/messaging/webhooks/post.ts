// Sends webhooks. Host names are resolved and checked inside the socket's lookup, so that only an address that was checked can be connected to.
// Redirects are not followed.
import { Resolver, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { webhookDuration } from '@clinic/lib/telemetry/metrics.ts';
import { isPublicAddress } from './public-address.ts';

/** `status` is null if the endpoint did not respond; then `error` is the reason. */
export type EndpointResponse = { status: number | null; body: string | null; error: string | null; durationMs: number };
type Post = (url: string, headers: Record<string, string>, payload: string, timeoutMs?: number) => Promise<EndpointResponse>;

type Address = { address: string; family: number };
export type Resolve = (hostname: string) => Promise<Address[]>;

/** The limits of a whole delivery, and of connecting. */
const TIMEOUT_MS = 10_000;
const CONNECT_MS = 5_000;
const SHOWN_BYTES = 1_024;

/** The address was refused before a connection was made. */
class NotAllowed extends Error {
  readonly code = 'ADDRESS_NOT_ALLOWED';
}

type PostOptions = {
  /** Whether http and private addresses are allowed, for development. */
  allowPrivate: boolean;
  resolve?: Resolve;
};

export function createPost({ allowPrivate, resolve = allowPrivate ? resolveBySystem : createResolve() }: PostOptions): Post & { close(): Promise<void> } {
  const isAllowed = (address: string) => allowPrivate || isPublicAddress(address);

  const lookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (!first) return callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '', 0);
        if (!addresses.every(({ address }) => isAllowed(address))) return callback(new NotAllowed(), '', 0);
        return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
      },
      (error) => callback(error, '', 0),
    );
  };
  /** undici is loaded with the first webhook. */
  const load = async () => {
    const { Agent, buildConnector, request } = await import('undici');
    const connect = buildConnector({ timeout: CONNECT_MS, lookup });
    const dispatcher = new Agent({
      connect(options, callback) {
        const hostname = options.hostname.replace(/^\[|\]$/g, '');
        // For an IP address the socket performs no lookup.
        if (isIP(hostname) !== 0 && !isAllowed(hostname)) callback(new NotAllowed(), null);
        else connect(options, callback);
      },
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
      keepAliveTimeout: 10_000,
    });
    return { dispatcher, request };
  };
  let loaded: ReturnType<typeof load> | undefined;

  async function send(url: string, headers: Record<string, string>, payload: string, timeoutMs: number) {
    if (!allowPrivate && !url.startsWith('https://')) throw new NotAllowed();
    loaded ??= load();
    const { dispatcher, request } = await loaded;
    const sent = { 'content-type': 'application/json', 'user-agent': 'clinic-webhooks/1', ...headers };
    const signal = AbortSignal.timeout(timeoutMs);
    const { statusCode, body } = await request(url, { method: 'POST', headers: sent, body: payload, dispatcher, signal });
    return { status: statusCode, body: await readFirst(body), error: null };
  }

  const post: Post = async (url, headers, payload, timeoutMs = TIMEOUT_MS) => {
    const started = performance.now();
    const answer = await send(url, headers, payload, timeoutMs).catch((error: unknown) => ({ status: null, body: null, error: errorCodeOf(error) }));
    const durationMs = Math.round(performance.now() - started);
    webhookDuration.observe({ outcome: isSuccess(answer.status) ? 'delivered' : (answer.error ?? 'refused') }, durationMs / 1000);
    return { ...answer, durationMs };
  };
  return Object.assign(post, { close: async () => (await loaded)?.dispatcher.destroy() });
}

export const isSuccess = (status: number | null) => status !== null && status >= 200 && status < 300;

/** The first kilobyte as text. The rest is not read. */
async function readFirst(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= SHOWN_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, SHOWN_BYTES).toString('utf8').replaceAll('\0', '');
}

/** Codes only, because messages contain addresses. */
function errorCodeOf(error: unknown): string {
  const { name, code, cause } = error as { name?: string; code?: string; cause?: { code?: string } };
  if (name === 'TimeoutError' || /TIMEOUT/.test(String(code))) return 'TIMEOUT';
  return (typeof code === 'string' && code) || cause?.code || 'FAILED';
}

const resolveBySystem: Resolve = (hostname) =>
  new Promise((resolve, reject) => systemLookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses))));

/** Resolves by DNS only, because the system's lookup uses the few threads that it shares with all other work. */
function createResolve(): Resolve {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const find = (family: 4 | 6, hostname: string) =>
    new Promise<Address[]>((resolve) => {
      const answer = (error: Error | null, found: string[]) => resolve(error ? [] : found.map((address) => ({ address, family })));
      if (family === 4) resolver.resolve4(hostname, answer);
      else resolver.resolve6(hostname, answer);
    });
  return async (hostname) => (await Promise.all([find(4, hostname), find(6, hostname)])).flat();
}
