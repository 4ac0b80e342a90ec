// The client: a typed call for each HTTP method, which returns the result or throws ClinicError.
import createFetchClient, { defaultBodySerializer, type FetchResponse, type HeadersOptions, type MaybeOptionalInit, mergeHeaders } from 'openapi-fetch';
import { ClinicError } from './errors.ts';
import { type EventOptions, followEvents, type LiveEvent } from './events.ts';
import { CREATING } from './gen/creating.ts';
import type { paths } from './gen/schema.ts';
import { type Item, type ListPath, listItems, type QueryOf } from './lists.ts';
import { withRetries } from './retry.ts';
import { keepSession, type Session } from './session.ts';

export type ClinicOptions = {
  /** The URL of the service, for example https://clinic.example. */
  baseUrl: string;
  /** An integration key. Without one, call signIn. */
  key?: string;
  /** How often a repeatable request is retried. Default: 2. */
  retries?: number;
  /** Sends the requests. Default: the global fetch. */
  fetch?: (request: Request) => Promise<Response>;
};

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type PathsWith<M extends Method> = { [P in keyof paths]: paths[P] extends { [K in M]: object } ? P : never }[keyof paths];
type Media = `${string}/${string}`;
// biome-ignore lint/suspicious/noExplicitAny: the constraint of openapi-fetch
type Operation<P extends keyof paths, M extends Method> = paths[P][M] extends Record<string | number, any> ? paths[P][M] : never;
/** The parameters and the body may be omitted if none is required. */
type Rest<Init> = undefined extends Init ? [Init?] : [Init];

/** `init` has the options of openapi-fetch: `{ params: { path, query, header }, body, signal, … }`. */
type CallMethod<M extends Method> = <P extends PathsWith<M>, Init extends MaybeOptionalInit<paths[P], M>>(
  path: P,
  ...init: Rest<Init>
) => Promise<NonNullable<FetchResponse<Operation<P, M>, Init, Media>['data']>>;

export type Clinic = {
  get: CallMethod<'get'>;
  /** A call that creates something is given an Idempotency-Key unless it has one, so that it can be retried. */
  post: CallMethod<'post'>;
  put: CallMethod<'put'>;
  patch: CallMethod<'patch'>;
  delete: CallMethod<'delete'>;
  /** The items of a list, page after page. */
  each<P extends ListPath>(path: P, init?: { params?: QueryOf<P>; signal?: AbortSignal }): AsyncGenerator<Item<P>, void, undefined>;
  /** Signs a user in. Throws MFA_REQUIRED if a second factor is required: then call POST /api/auth/mfa. */
  signIn(credentials: { email: string; password: string }): Promise<Session>;
  /** Continues the session that the cookie identifies, for example after a page was reloaded. */
  refresh(): Promise<Session>;
  signOut(): Promise<void>;
  /** The live events of the clinic, an endless stream. */
  events(options?: EventOptions): AsyncGenerator<LiveEvent, void, undefined>;
};

export function createClinic({ baseUrl, key, retries = 2, fetch = (request) => globalThis.fetch(request) }: ClinicOptions): Clinic {
  const root = baseUrl.replace(/\/+$/, '');
  const session = keepSession(withRetries(fetch, retries), root, key);
  const client = createFetchClient<paths>({ baseUrl: root, fetch: session.send, bodySerializer: toBody });
  client.use({
    onRequest({ request, schemaPath }) {
      if (request.method === 'POST' && CREATING.has(schemaPath) && !request.headers.has('Idempotency-Key'))
        request.headers.set('Idempotency-Key', crypto.randomUUID());
      return request;
    },
  });

  const call =
    (method: Method) =>
    async (path: string, init?: object): Promise<unknown> => {
      // Not typed here: the type Clinic describes the calls.
      const { data, error, response } = await client.request(method as 'get', path as never, withFileType(init) as never);
      if (!response.ok) throw new ClinicError(response, error);
      return data;
    };
  const [get, post] = [call('get'), call('post')];
  return {
    get,
    post,
    put: call('put'),
    patch: call('patch'),
    delete: call('delete'),
    each: (path: string, init?: object) => listItems((query) => get(path, query) as Promise<object>, init),
    signIn: (body) => post('/api/auth/login', { body }) as Promise<Session>,
    async refresh() {
      const response = await session.refresh();
      const body = await response.json().catch(() => undefined);
      if (!response.ok) throw new ClinicError(response, body);
      return body as Session;
    },
    async signOut() {
      await post('/api/auth/logout');
    },
    events: (options) => followEvents(session.send, `${root}/api/events`, options),
  } as Clinic;
}

const toBody = (body: unknown) => (body instanceof Blob ? body : defaultBodySerializer(body));

/** A file has its own type. Without a header, openapi-fetch declares every body as JSON, except forms. */
function withFileType(init: { body?: unknown; headers?: HeadersOptions } = {}) {
  const { body, headers } = init;
  return body instanceof Blob ? { ...init, headers: mergeHeaders({ 'Content-Type': body.type }, headers) } : init;
}
