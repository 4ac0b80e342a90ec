// A small client of the public API with one function for each HTTP method. Results have status, headers and parsed body.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PublicApi } from '@clinic/lib/testing/public-api.ts';
import { type Dispatcher, request } from 'undici';

// biome-ignore lint/suspicious/noExplicitAny: responses are what the tests examine
export type Body = any;
export type Answer = { status: number; body: Body; text: string; headers: Headers };
export type Extra = { token?: string; headers?: Record<string, string> };
export type Api = ReturnType<typeof apiAt>;

/**
 * The client is undici's, which takes a third of the processor time of fetch and asks for no compression. `extra.token` becomes the
 * Authorization header. A body that is a string or bytes is sent unchanged. Requests that receive 503 are repeated, as by clients (a POST with an
 * Idempotency-Key), unless `once` is set for tests of unavailability.
 */
export function apiAt({ baseUrl, operatorKey }: Pick<PublicApi, 'baseUrl' | 'operatorKey'>, { once = false } = {}) {
  const send: Send = once
    ? sendOnce
    : (method, path, body, extra) => {
        const keyed = { ...extra, headers: { ...(method === 'POST' && freshKey()), ...extra?.headers } };
        return untilAvailable(() => sendOnce(method, path, body, keyed));
      };
  async function sendOnce(method: string, path: string, body?: unknown, { token, headers = {} }: Extra = {}): Promise<Answer> {
    const raw = typeof body === 'string' || body instanceof Uint8Array;
    const response = await request(baseUrl + path, {
      method: method as Dispatcher.HttpMethod,
      headers: {
        'User-Agent': 'tests',
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: raw ? (body as string) : JSON.stringify(body) }),
    });
    return answer(response.statusCode, await response.body.text(), headersOf(response.headers));
  }
  return {
    baseUrl,
    ...methodsOf(send),
    postForm: async (path: string, form: FormData, { token = '', headers = {} }: Extra = {}) => {
      const response = await fetch(baseUrl + path, { method: 'POST', headers: { Authorization: `Bearer ${token}`, ...headers }, body: form });
      return answer(response.status, await response.text(), response.headers);
    },
    /** The `extra` of an operator's call. */
    operator: { headers: { 'X-Admin-Key': operatorKey } },
  };
}

type Send = (method: string, path: string, body?: unknown, extra?: Extra) => Promise<Answer>;

const methodsOf = (send: Send) => ({
  send,
  get: (path: string, extra?: Extra) => send('GET', path, undefined, extra),
  post: (path: string, body?: unknown, extra?: Extra) => send('POST', path, body, extra),
  patch: (path: string, body?: unknown, extra?: Extra) => send('PATCH', path, body, extra),
  put: (path: string, body?: unknown, extra?: Extra) => send('PUT', path, body, extra),
  delete: (path: string, extra?: Extra) => send('DELETE', path, undefined, extra),
});

/** The client, which passes each request with its response to `see`; the body of a form is undefined. */
export function watched(api: Api, see: (method: string, path: string, body: unknown, answer: Answer) => void): Api {
  const seen = async (method: string, path: string, body: unknown, answering: Promise<Answer>) => {
    const answer = await answering;
    see(method, path, body, answer);
    return answer;
  };
  return {
    ...api,
    ...methodsOf((method, path, body, extra) => seen(method, path, body, api.send(method, path, body, extra))),
    postForm: (path, form, extra) => seen('POST', path, undefined, api.postForm(path, form, extra)),
  };
}

const answer = (status: number, text: string, headers: Headers): Answer => ({ status, body: parse(text), text, headers });

function headersOf(received: Record<string, string | string[] | undefined>): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(received)) for (const value of [values].flat()) headers.append(name, value);
  return headers;
}

/** The parsed text; undefined when it is not JSON. */
export function parse(text: string): Body {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The response, which must have the expected status. Otherwise throws an error that contains the response. */
export async function expectStatus(status: number, sending: Promise<Answer>): Promise<Answer> {
  const answer = await sending;
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${answer.text.slice(0, 500)}`);
  return answer;
}

export const freshKey = (key = `key-${randomUUID()}`) => ({ 'Idempotency-Key': key });

/** Repeats a request that receives 503, as clients and providers of webhooks do. */
export async function untilAvailable<T extends { status: number }>(send: () => Promise<T>): Promise<T> {
  for (let again = 120; ; again--) {
    const answer = await send();
    if (answer.status !== 503 || again === 0) return answer;
    await sleep(250);
  }
}
