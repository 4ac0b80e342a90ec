// Settings of operators: read-only mode, maintenance, and limits over all users of a clinic.
import { randomUUID } from 'node:crypto';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { systemClock } from '@clinic/lib/clock/clock.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterEach, expect, test } from '@jest/globals';
import { activeState, CLINIC_ID, OPERATOR_KEY, startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

const OTHER = '0198a3f2-7c1e-7d4b-9a53-00000000000f';
const PATIENT = { fullName: 'Ana Rivas', phone: '+50370001111' };

let gateway: TestGateway;
let stopped = false;
const stop = async () => {
  if (!stopped) await gateway.stop();
  stopped = true;
};
afterEach(stop);

/** Starts a gateway to which identity returns this operating state. */
async function open(state: object, env: Record<string, string> = {}) {
  gateway = await startTestGateway(env);
  stopped = false;
  gateway.replies['AccessService.getOperatingState'] = () => state;
  gateway.replies['PatientService.createPatient'] = () => ({ id: randomUUID() });
  const [token, others] = await Promise.all([gateway.token(), gateway.token({ clinic_id: OTHER })]);
  const send = (method: string, path: string, { as = token, body }: { as?: string; body?: object } = {}) =>
    fetch(`${gateway.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${as}`, 'x-admin-key': OPERATOR_KEY, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  return { send, others };
}
/** The headers of a refusal that describe the limit. */
const limitOf = ({ headers }: Response) => ['policy', 'limit', 'remaining', 'reset'].map((name) => headers.get(`ratelimit-${name}`));
const statusOf = async (response: Promise<Response>) => (await response).status;

test('users of a read-only clinic can read and sign out, but change nothing; other clinics and operators can', async () => {
  const { send, others } = await open({ clinics: [{ clinicId: CLINIC_ID, readOnly: true }] });
  const change = () => send('POST', '/api/patients', { body: PATIENT });
  await waitFor(async () => expect(await statusOf(change())).toBe(503));
  gateway.calls.length = 0;
  const refused = await change();
  expect([refused.headers.get('retry-after'), await refused.json()]).toEqual(['60', { error: expect.any(String), code: 'READ_ONLY' }]);
  for (const [method, path] of [
    ['GET', '/api/doctors'],
    ['POST', '/api/auth/logout'],
    ['DELETE', '/api/auth/sessions'],
  ] as const)
    expect([path, await statusOf(send(method, path))]).toEqual([path, 200]);
  expect(await statusOf(send('POST', '/api/patients', { as: others, body: PATIENT }))).toBe(201);
  expect(await statusOf(send('PATCH', `/api/superadmin/clinics/${CLINIC_ID}/limits`, { body: { read_only: false } }))).toBe(200);
  expect(gateway.calls.filter(({ rpc }) => rpc === 'PatientService.createPatient')).toHaveLength(1);
});

test('read-only mode is checked after the subscription and before the role', async () => {
  const { send } = await open({ clinics: [{ clinicId: CLINIC_ID, readOnly: true }] });
  gateway.replies['AccessService.resolveAccess'] = () => ({ ...activeState, appRole: 'receptionist' });
  const codeOf = async () => (await (await send('DELETE', `/api/doctors/${randomUUID()}`)).json()) as { code: string };
  await waitFor(async () => expect(await codeOf()).toMatchObject({ code: 'READ_ONLY' }));
  gateway.replies['AccessService.resolveAccess'] = () => ({ ...activeState, subscriptionExpiresAt: timestampFromDate(new Date(0)) });
  expect(await codeOf()).toMatchObject({ code: 'SUBSCRIPTION_EXPIRED' });
});

test('maintenance refuses changes by all clinics and by the public, with its end in Retry-After; sign-in, reads and operators are not affected', async () => {
  const until = new Date(systemClock.now().getTime() + 600_000);
  const { send } = await open({ maintenance: { active: true, until: timestampFromDate(until) } });
  const demo = { clinicName: 'Sol', contactName: 'Rosa', email: 'rosa@sol.example' };
  await waitFor(async () => expect(await statusOf(send('POST', '/api/demo-requests', { body: demo }))).toBe(503));
  const refused = await send('POST', '/api/patients', { body: PATIENT });
  expect([refused.status, Math.ceil(Number(refused.headers.get('retry-after')) / 60)]).toEqual([503, 10]);
  expect(await statusOf(send('POST', `/api/check-in/${'a'.repeat(43)}`, { body: {} }))).toBe(503);
  expect(await statusOf(send('POST', '/api/auth/login', { body: { email: 'ana@example.com', password: 'x' } }))).toBe(200);
  expect(await statusOf(send('GET', '/api/doctors'))).toBe(200);
  expect(await statusOf(send('DELETE', '/api/superadmin/maintenance'))).toBe(200);
});

test('requests per minute are limited over all users and addresses of a clinic, by the setting or the value that operators set for the clinic', async () => {
  const state = { clinics: [] as object[] };
  const { send, others } = await open(state, { CLINIC_REQUESTS_PER_MINUTE: '3', TRUST_PROXY: '1' });
  const get = (as?: string) => send('GET', '/api/doctors', as ? { as } : {});
  for (let n = 0; n < 3; n++) expect(await statusOf(get())).toBe(200);
  const refused = await get();
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
  expect(limitOf(refused)).toEqual(['3;w=60', '3', '0', refused.headers.get('retry-after')]);
  expect(await refused.json()).toEqual({ error: expect.stringContaining('3 requests a minute'), code: 'RATE_LIMITED' });
  expect(await statusOf(get(others))).toBe(200);
  state.clinics = [{ clinicId: CLINIC_ID, requestsPerMinute: 1_000 }];
  await waitFor(async () => expect(await statusOf(get())).toBe(200));
});

test('requests of a clinic wait for each other; requests of other clinics do not wait for them', async () => {
  const { send, others } = await open({}, { CLINIC_CONCURRENT_REQUESTS: '2', RATE_LIMIT_API: '500/900' });
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  let running = 0;
  gateway.replies['DoctorService.listDoctors'] = async (_request, { caller }) => {
    if (caller.clinic?.id === CLINIC_ID) running++;
    if (caller.clinic?.id === CLINIC_ID) await held;
    return {};
  };
  const busy = Array.from({ length: 30 }, () => send('GET', '/api/doctors'));
  const refused = await Promise.race(busy);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2']);
  expect(limitOf(refused)).toEqual([null, '2', '0', '2']); // not the limit of the address, and not of a window
  for (let n = 0; n < 5; n++) expect(await statusOf(send('GET', '/api/doctors', { as: others }))).toBe(200);
  expect(running).toBe(2);
  release();
  const statuses = (await Promise.all(busy)).map(({ status }) => status);
  expect([statuses.filter((status) => status === 200).length, statuses.filter((status) => status === 429).length]).toEqual([12, 18]);
});

test('admitted requests are counted by clinic, and reported when the gateway stops', async () => {
  const reported: Record<string, bigint> = {};
  const openReported = async () => {
    const opened = await open({});
    gateway.replies['UsageReportService.addUsage'] = ({ counted }: { counted: { clinicId: string; requests: bigint }[] }) => {
      for (const { clinicId, requests } of counted) reported[clinicId] = (reported[clinicId] ?? 0n) + requests;
      return {};
    };
    return opened;
  };
  await openReported();
  await stop(); // reports what the other tests have counted
  const before = { ...reported };
  const { send, others } = await openReported();
  for (let n = 0; n < 3; n++) await send('GET', '/api/doctors');
  await send('GET', '/api/doctors', { as: others });
  await send('GET', '/api/doctors', { as: 'no-token' });
  await stop();
  expect([CLINIC_ID, OTHER].map((id) => (reported[id] ?? 0n) - (before[id] ?? 0n))).toEqual([3n, 1n]);
});
