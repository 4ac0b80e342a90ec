// The client with a fetch that returns prepared responses.
import { expect, jest, test } from '@jest/globals';
import { ClinicError, createClinic } from './index.ts';

type Sent = { method: string; path: string; headers: Record<string, string>; body: unknown };
type Reply = Response | Error;

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } });
const refused = (code: string, status: number, headers?: Record<string, string>) => json({ error: 'A message', code }, status, headers);
const BOOKING = { doctorId: 'd', appointmentDate: '2026-08-03', startTime: '09:00' };

/** A client whose requests receive these replies in turn. */
function clientWith(replies: Reply[], options: { key?: string; retries?: number } = {}) {
  const sent: Sent[] = [];
  const clinic = createClinic({
    baseUrl: 'https://clinic.test/',
    ...options,
    async fetch(request) {
      const text = await request.text();
      const { pathname, search } = new URL(request.url);
      const isJson = request.headers.get('Content-Type') === 'application/json';
      sent.push({ method: request.method, path: pathname + search, headers: Object.fromEntries(request.headers), body: isJson ? JSON.parse(text) : text });
      const reply = replies.shift();
      if (reply instanceof Error) throw reply;
      if (!reply) throw new Error(`no reply is left for ${request.method} ${request.url}`);
      return reply;
    },
  });
  return { clinic, sent };
}

test('each request is sent with the integration key, and the call returns the body of the response', async () => {
  const { clinic, sent } = clientWith([json({ id: '1' })], { key: 'ck_1' });
  expect(await clinic.get('/api/appointments/{id}', { params: { path: { id: '1' } } })).toEqual({ id: '1' });
  expect(sent).toMatchObject([{ method: 'GET', path: '/api/appointments/1', headers: { authorization: 'Bearer ck_1' } }]);
});

test('a creating call is repeated with the same Idempotency-Key, until it succeeds', async () => {
  const { clinic, sent } = clientWith([new TypeError('connection lost'), refused('UNAVAILABLE', 503), json({ id: '1' }, 201)]);
  await clinic.post('/api/appointments', { body: BOOKING });
  const keys = sent.map(({ headers }) => headers['idempotency-key']);
  expect([new Set(keys).size, keys.length, keys[0]]).toEqual([1, 3, expect.stringMatching(/^[\w-]{36}$/)]);
  expect(sent.map(({ body }) => body)).toEqual([BOOKING, BOOKING, BOOKING]);
});

test('an Idempotency-Key that the caller has set is not replaced', async () => {
  const { clinic, sent } = clientWith([json({ id: '1' }, 201)]);
  await clinic.post('/api/appointments', { body: BOOKING, params: { header: { 'Idempotency-Key': 'mine' } } });
  expect(sent[0]?.headers['idempotency-key']).toBe('mine');
});

test('a file is sent unchanged, with its own type, also when the call is repeated', async () => {
  const csv = new Blob(['name,phone\n'], { type: 'text/csv' });
  const form = new FormData();
  form.append('file', csv, 'patients.csv');
  const { clinic, sent } = clientWith([new TypeError('connection lost'), json({}), json({}), json({})]);
  await clinic.put('/api/users/me/photo', { body: new Blob(['a photo'], { type: 'image/png' }) });
  await clinic.post('/api/patients/import', { body: csv, headers: new Headers({ 'Content-Type': 'text/csv; charset=utf-8' }) });
  await clinic.post('/api/patients/import', { body: form });
  expect(sent.map(({ headers, body }) => [headers['content-type'], body])).toEqual([
    ['image/png', 'a photo'],
    ['image/png', 'a photo'],
    ['text/csv; charset=utf-8', 'name,phone\n'],
    [expect.stringMatching(/^multipart\/form-data; boundary=/), expect.stringContaining('filename="patients.csv"')],
  ]);
});

test('a change that may have taken effect is not repeated, but one that exceeded the rate limit is', async () => {
  const lost = clientWith([new TypeError('connection lost')]);
  await expect(lost.clinic.patch('/api/appointments/{id}', { params: { path: { id: '1' } }, body: { notes: 'x' } })).rejects.toThrow('connection lost');
  const limited = clientWith([refused('RATE_LIMITED', 429, { 'Retry-After': '0' }), json({ id: '1' })]);
  expect(await limited.clinic.patch('/api/appointments/{id}', { params: { path: { id: '1' } }, body: { notes: 'x' } })).toEqual({ id: '1' });
});

test('a PUT is repeated, except that of the password, which would be compared with the new one', async () => {
  const lost = clientWith([new TypeError('connection lost'), json({})]);
  await lost.clinic.put('/api/agenda/subscription', { body: { enabled: true } });
  expect(lost.sent).toHaveLength(2);
  for (const reply of [new TypeError('connection lost'), refused('UNAVAILABLE', 503)]) {
    const { clinic, sent } = clientWith([reply]);
    const changing = clinic.put('/api/users/me/password', { body: { currentPassword: 'old', newPassword: 'new' } });
    await expect(changing).rejects.toThrow(reply instanceof Error ? 'connection lost' : 'A message');
    expect(sent).toHaveLength(1);
  }
});

test('an error response is thrown with its code, details, request id and time to wait', async () => {
  const body = { error: 'Slow down', code: 'RATE_LIMITED', details: [{ path: 'a', message: 'b' }] };
  const { clinic } = clientWith([json(body, 429, { 'Retry-After': '900', 'X-Request-Id': 'r-1' })]);
  const thrown = await clinic.get('/api/doctors').catch((error: unknown) => error);
  expect(thrown).toMatchObject({ status: 429, message: 'Slow down', code: 'RATE_LIMITED', retryAfter: 900, requestId: 'r-1', details: body.details });
  expect([ClinicError.is(thrown), ClinicError.is(thrown, 'RATE_LIMITED'), ClinicError.is(thrown, 'SLOT_TAKEN'), ClinicError.is(new Error())]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('a response that does not come from the API is thrown with the code UNKNOWN', async () => {
  const { clinic } = clientWith([new Response('<html>', { status: 500 })], { retries: 0 });
  await expect(clinic.get('/api/doctors')).rejects.toMatchObject({ status: 500, code: 'UNKNOWN' });
});

const session = (token: string, cookie = 'refresh_token=r1; Path=/api/auth; HttpOnly') => json({ access_token: token }, 200, { 'Set-Cookie': cookie });

test('an expired token is refreshed once for all calls that it failed, with the cookie from the sign-in', async () => {
  const expired = () => refused('TOKEN_EXPIRED', 401);
  const { clinic, sent } = clientWith([session('t1'), expired(), expired(), session('t2', 'refresh_token=r2; Path=/api/auth'), json({ n: 1 }), json({ n: 2 })]);
  await clinic.signIn({ email: 'ana@example.com', password: 'secret' });
  await Promise.all([clinic.get('/api/doctors'), clinic.get('/api/users')]);
  expect(sent.map(({ path, headers }) => [path, headers.authorization, headers.cookie])).toEqual([
    ['/api/auth/login', undefined, undefined],
    ['/api/doctors', 'Bearer t1', undefined],
    ['/api/users', 'Bearer t1', undefined],
    ['/api/auth/refresh', undefined, 'refresh_token=r1'],
    ['/api/doctors', 'Bearer t2', undefined],
    ['/api/users', 'Bearer t2', undefined],
  ]);
});

test('if the session cannot be refreshed, the call throws TOKEN_EXPIRED', async () => {
  const { clinic } = clientWith([session('t1'), refused('TOKEN_EXPIRED', 401), refused('INVALID_REFRESH_TOKEN', 401)]);
  await clinic.signIn({ email: 'ana@example.com', password: 'secret' });
  await expect(clinic.get('/api/doctors')).rejects.toMatchObject({ code: 'TOKEN_EXPIRED' });
});

test('a refresh whose response was lost is repeated, because the old cookie is valid for a few seconds more', async () => {
  const { clinic, sent } = clientWith([session('t1'), refused('TOKEN_EXPIRED', 401), new TypeError('connection lost'), session('t2'), json({ doctors: [] })]);
  await clinic.signIn({ email: 'ana@example.com', password: 'secret' });
  await clinic.get('/api/doctors');
  const refreshes = sent.filter(({ path }) => path === '/api/auth/refresh');
  expect(refreshes.map(({ headers }) => headers.cookie)).toEqual(['refresh_token=r1', 'refresh_token=r1']);
  expect(sent.at(-1)?.headers.authorization).toBe('Bearer t2');
});

test('while the session cannot be refreshed for the moment, the call throws that error, because the session has not ended', async () => {
  const { clinic } = clientWith([session('t1'), refused('TOKEN_EXPIRED', 401), refused('UNAVAILABLE', 503)], { retries: 0 });
  await clinic.signIn({ email: 'ana@example.com', password: 'secret' });
  await expect(clinic.get('/api/doctors')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('after signing out, requests carry neither token nor cookie', async () => {
  const { clinic, sent } = clientWith([session('t1'), json({ message: 'Bye' }, 200, { 'Set-Cookie': 'refresh_token=; Path=/api/auth' }), json({})]);
  await clinic.signIn({ email: 'ana@example.com', password: 'secret' });
  await clinic.signOut();
  await clinic.get('/status');
  expect(sent.map(({ headers }) => [headers.authorization, headers.cookie])).toEqual([
    [undefined, undefined],
    ['Bearer t1', 'refresh_token=r1'],
    [undefined, undefined],
  ]);
});

const collect = async <T>(items: AsyncIterable<T>) => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

test('a list is read page by page, with its filters', async () => {
  const page = (ids: string[], number: number) => json({ patients: ids.map((id) => ({ id })), total: 3, page: number, limit: 2 });
  const { clinic, sent } = clientWith([page(['1', '2'], 1), page(['3'], 2)]);
  const all = await collect(clinic.each('/api/patients', { params: { query: { search: 'mar', limit: 2 } } }));
  expect(all.map(({ id }) => id)).toEqual(['1', '2', '3']);
  expect(sent.map(({ path }) => path)).toEqual(['/api/patients?limit=2&search=mar', '/api/patients?limit=2&search=mar&page=2']);
});

test('a list is read beyond its total, which may be capped, until a page is not full', async () => {
  const page = (ids: string[], number: number) => json({ patients: ids.map((id) => ({ id })), total: 2, page: number, limit: 2 });
  const { clinic } = clientWith([page(['1', '2'], 1), page(['3', '4'], 2), page(['5'], 3)]);
  const all = await collect(clinic.each('/api/patients', { params: { query: { search: 'mar', limit: 2 } } }));
  expect(all.map(({ id }) => id)).toEqual(['1', '2', '3', '4', '5']);
});

test('a list with cursors is read page by page', async () => {
  const { clinic, sent } = clientWith([json({ entries: [{ id: '1' }], next_cursor: 'c' }), json({ entries: [], next_cursor: null })]);
  expect(await collect(clinic.each('/api/audit-log'))).toEqual([{ id: '1' }]);
  expect(sent.map(({ path }) => path)).toEqual(['/api/audit-log?limit=100', '/api/audit-log?limit=100&cursor=c']);
});

test('live events arrive one by one, and after a lost connection the stream resumes after the last one', async () => {
  const event = (id: string) => `id: ${id}\nevent: appointment_booked\ndata: {"appointment":{"appointment_id":"${id}: ñ"}}\n\n`;
  const stream = (text: string) => new Response(text, { headers: { 'Content-Type': 'text/event-stream' } });
  const { clinic, sent } = clientWith([stream(`retry: 2000\n\n:\n\n${event('1')}${event('2')}id: 3\nev`), stream(event('3'))], { key: 'ck_1' });
  const stop = new AbortController();
  const seen: unknown[] = [];
  let opened = 0;
  for await (const { id, event: name, data } of clinic.events({ signal: stop.signal, onOpen: () => opened++ })) {
    seen.push([id, name, 'appointment' in data && data.appointment?.appointment_id]);
    if (seen.length === 3) stop.abort();
  }
  expect(seen).toEqual(['1', '2', '3'].map((id) => [id, 'appointment_booked', `${id}: ñ`]));
  expect([opened, sent.map(({ headers }) => headers['last-event-id'])]).toEqual([2, [undefined, '2']]);
});

test('a stream that has become silent is requested again', async () => {
  jest.useFakeTimers();
  try {
    const event = (id: string) => new TextEncoder().encode(`id: ${id}\nevent: appointment_booked\ndata: {}\n\n`);
    const silent = (id: string) => {
      const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(event(id)) });
      return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
    };
    const { clinic, sent } = clientWith([silent('1'), silent('2')], { key: 'ck_1' });
    const states: string[] = [];
    const events = clinic.events({ onOpen: () => states.push('open'), onClose: () => states.push('closed') });
    expect((await events.next()).value).toMatchObject({ id: '1' });
    const next = events.next();
    await jest.advanceTimersByTimeAsync(44_000);
    expect(states).toEqual(['open']);
    await jest.advanceTimersByTimeAsync(5_000);
    expect((await next).value).toMatchObject({ id: '2' });
    expect([states, sent[1]?.headers['last-event-id']]).toEqual([['open', 'closed', 'open'], '1']);
    await events.return();
    expect(states.at(-1)).toBe('closed');
  } finally {
    jest.useRealTimers();
  }
});

test('a refused stream throws the error', async () => {
  const { clinic } = clientWith([refused('SUBSCRIPTION_EXPIRED', 402)], { key: 'ck_1' });
  await expect(collect(clinic.events())).rejects.toMatchObject({ code: 'SUBSCRIPTION_EXPIRED' });
});

test('a stream over the rate limit is requested again after Retry-After, not before', async () => {
  jest.useFakeTimers();
  try {
    const stream = new Response('id: 1\nevent: appointment_booked\ndata: {}\n\n', { headers: { 'Content-Type': 'text/event-stream' } });
    const limited = refused('RATE_LIMITED', 429, { 'Retry-After': '600' });
    const { clinic, sent } = clientWith([limited, stream], { key: 'ck_1' });
    const first = clinic.events().next();
    await jest.advanceTimersByTimeAsync(599_000);
    expect(sent).toHaveLength(1);
    expect((await limited.body?.getReader().read())?.done).toBe(true); // so that its connection can be used again
    await jest.advanceTimersByTimeAsync(2_000);
    expect((await first).value).toMatchObject({ id: '1', event: 'appointment_booked' });
  } finally {
    jest.useRealTimers();
  }
});
