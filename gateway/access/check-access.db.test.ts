import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ServiceError } from '@clinic/lib/errors/errors.ts';
import { manualClock } from '@clinic/lib/testing/clock.ts';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { activeState, CLINIC_ID, OPERATOR_KEY, startTestGateway, type TestGateway, USER_ID } from '../testing/test-gateway.ts';
import { keyHashOf } from './integration-keys.ts';

const clock = manualClock(new Date('2026-08-03T12:00:00Z'));
const past = timestampFromDate(new Date('2026-08-03T11:59:59Z'));
let gateway: TestGateway;
beforeEach(async () => {
  clock.set(new Date('2026-08-03T12:00:00Z'));
  gateway = await startTestGateway({}, clock);
});
afterEach(() => gateway.stop());

const state = (changed: Record<string, unknown>) => {
  gateway.replies['AccessService.resolveAccess'] = () => ({ ...activeState, ...changed });
};
async function codeOf(method: string, path: string, headers: Record<string, string>, body?: string): Promise<string> {
  const response = await fetch(gateway.url + path, { method, headers, ...(body !== undefined && { body }) });
  return `${response.status} ${((await response.json()) as { code?: string }).code ?? 'OK'}`;
}
const bearer = async (claims?: Record<string, unknown>, options?: { kid?: string; expires?: number }) => ({
  authorization: `Bearer ${await gateway.token(claims, options)}`,
});

describe('order of checks', () => {
  test('a check is reached only when those before it have passed', async () => {
    const headers = { ...(await bearer()), 'content-type': 'application/json' };
    const addDoctor = () => codeOf('POST', '/api/doctors', headers, 'this is no JSON');
    const changes: [Record<string, unknown>, string][] = [
      [{ userActive: false }, '403 USER_INACTIVE'],
      [{ clinicActive: false }, '403 CLINIC_SUSPENDED'],
      [{ subscriptionExpiresAt: past }, '402 SUBSCRIPTION_EXPIRED'],
      [{ appRole: 'receptionist' }, '403 FORBIDDEN'],
    ];
    for (let first = 0; first < changes.length; first++) {
      state(Object.assign({}, ...changes.slice(first).map(([change]) => change)));
      expect(await addDoctor()).toBe(changes[first]?.[1]);
    }
    state({});
    expect(await addDoctor()).toBe('400 INVALID_JSON');
    expect(await codeOf('POST', '/api/doctors', { 'content-type': 'application/json' }, 'this is no JSON')).toBe('401 UNAUTHENTICATED');
    expect(gateway.calls).toEqual([]);
  });

  test('role, plan, feature toggles, clinic type, input', async () => {
    const headers = await bearer();
    const chart = () => codeOf('GET', '/api/dental/charts/none/current', headers);
    state({ mfaMissing: true, appRole: 'receptionist', features: [] });
    expect(await codeOf('PUT', '/api/dental/prices', headers)).toBe('403 MFA_SETUP_REQUIRED');
    expect(await codeOf('GET', '/api/auth/me', headers)).toBe('200 OK');
    state({ appRole: 'receptionist', features: [], clinicType: 'medical' });
    expect(await codeOf('PUT', '/api/dental/prices', headers)).toBe('403 FORBIDDEN');
    expect(await chart()).toBe('403 PLAN_UPGRADE_REQUIRED');
    state({ features: [], switchedOff: ['dental'], clinicType: 'medical' });
    expect(await chart()).toBe('403 FEATURE_DISABLED');
    state({ features: ['dental'], clinicType: 'medical' });
    expect(await chart()).toBe('403 DENTAL_CLINIC_REQUIRED');
    state({ features: ['dental'] });
    expect(await chart()).toBe('404 NOT_FOUND');
  });

  test('a guard that the clinic has switched on refuses some roles', async () => {
    const headers = await bearer();
    const summary = '/api/dental/payment-plans/summary';
    const book = '/api/dte/books/consumers?month=2026-08';
    const guarded = ['DELETE /api/dental/payments/none', 'GET /api/patients/export', 'POST /api/users', `GET ${summary}`, `GET ${book}`];
    const refused = async (appRole: string, guards: string[]) => {
      state({ appRole, guards, features: ['dental', 'csv_export', 'dte'] });
      const codes = await Promise.all(guarded.map((route) => codeOf(...(route.split(' ') as [string, string]), headers).catch(() => 'a file')));
      return codes.map((code) => code === '403 FORBIDDEN');
    };
    const all = ['voids_need_admin', 'exports_need_admin', 'staff_creation_needs_admin', 'revenue_hidden_from_receptionists'];
    expect(await refused('receptionist', [])).toEqual([false, false, false, false, false]);
    expect(await refused('receptionist', all)).toEqual([true, true, true, true, true]);
    expect(await refused('receptionist', ['voids_need_admin'])).toEqual([true, false, false, false, false]);
    expect(await refused('receptionist', ['revenue_hidden_from_receptionists'])).toEqual([false, false, false, true, true]);
    expect(await refused('doctor', all)).toEqual([true, true, true, false, true]);
    expect(await refused('doctor', ['revenue_hidden_from_receptionists'])).toEqual([false, false, false, false, false]);
    expect(await refused('admin', all)).toEqual([false, false, false, false, false]);
  });

  test('a role that the route refuses is refused before path and body are read, unless the path names the user', async () => {
    const headers = { ...(await bearer()), 'content-type': 'application/json' };
    const asRole = (appRole: string, route: string) => {
      state({ appRole });
      return codeOf(...(route.split(' ') as [string, string]), headers, '{"fullName": 1}');
    };
    for (const id of [CLINIC_ID, 'none']) {
      expect(await asRole('receptionist', `POST /api/patients/${id}/prescriptions`)).toBe('403 FORBIDDEN');
      for (const role of ['receptionist', 'doctor']) expect(await asRole(role, `PATCH /api/users/${id}`)).toBe('403 FORBIDDEN');
    }
    for (const role of ['doctor', 'admin']) expect(await asRole(role, `POST /api/patients/${CLINIC_ID}/prescriptions`)).toBe('400 VALIDATION_ERROR');
    expect(await asRole('receptionist', `PATCH /api/users/${USER_ID.toUpperCase()}`)).toBe('400 VALIDATION_ERROR');
    expect(await asRole('admin', `PATCH /api/users/${CLINIC_ID}`)).toBe('400 VALIDATION_ERROR');
  });

  test('a malformed id is reported only to callers with access', async () => {
    expect(await codeOf('GET', '/api/doctors/none', {})).toBe('401 UNAUTHENTICATED');
    expect(await codeOf('GET', '/api/doctors/none', await bearer())).toBe('404 NOT_FOUND');
  });

  test('forever_free never expires; other plans expire at their instant', async () => {
    const headers = await bearer();
    state({ plan: 'forever_free', subscriptionExpiresAt: past });
    expect(await codeOf('GET', '/api/doctors', headers)).toBe('200 OK');
    state({ subscriptionExpiresAt: timestampFromDate(new Date('2026-08-03T12:00:00Z')) });
    expect(await codeOf('GET', '/api/doctors', headers)).toBe('402 SUBSCRIPTION_EXPIRED');
    state({ subscriptionExpiresAt: timestampFromDate(new Date('2026-08-03T12:00:01Z')) });
    expect(await codeOf('GET', '/api/doctors', headers)).toBe('200 OK');
  });

  test('the live role is checked, not the role in the token', async () => {
    state({ appRole: 'doctor' });
    expect(await codeOf('DELETE', `/api/doctors/${USER_ID}`, await bearer({ app_role: 'admin' }))).toBe('403 FORBIDDEN');
    state({ appRole: 'admin' });
    expect(await codeOf('DELETE', `/api/doctors/${USER_ID}`, await bearer({ app_role: 'doctor' }))).toBe('200 OK');
  });

  test('a deleted user is unauthenticated; an unavailable identity is 503', async () => {
    gateway.replies['AccessService.resolveAccessOfMany'] = () => ({ answers: [{}] });
    expect(await codeOf('GET', '/api/doctors', await bearer())).toBe('401 UNAUTHENTICATED');
    gateway.replies['AccessService.resolveAccessOfMany'] = () => {
      throw new ServiceError('UNAVAILABLE', 'connect ECONNREFUSED 10.0.0.7');
    };
    expect(await codeOf('GET', '/api/doctors', await bearer())).toBe('503 UNAVAILABLE');
  });

  test('services receive the live state of the caller, not that of the token', async () => {
    await codeOf('GET', '/api/doctors', { ...(await bearer()), 'x-request-id': 'test-request-1' });
    expect(gateway.calls[0]?.caller).toEqual({
      kind: 'user',
      id: USER_ID,
      requestId: 'test-request-1',
      ip: '127.0.0.1',
      role: 'admin',
      clinic: { id: CLINIC_ID, plan: 'pro', timezone: 'America/El_Salvador', country: 'SV', doctorLimit: 8 },
    });
  });
});

describe('tokens', () => {
  const me = async (headers: Record<string, string>) => codeOf('GET', '/api/auth/me', headers);

  test.each([
    ['another issuer', { iss: 'someone-else' }],
    ['another audience', { aud: 'another-api' }],
    ['no clinic', { clinic_id: undefined }],
    ['a clinic id that is not a UUID', { clinic_id: "x'; drop table users" }],
    ['no subject', { sub: undefined }],
    ['no id', { jti: undefined }],
    ['another database role', { role: 'service_role' }],
  ])('%s is refused', async (_name, claims) => {
    expect(await me(await bearer(claims))).toBe('401 UNAUTHENTICATED');
  });

  test.each([['Bearer'], ['Bearer '], ['Basic YTpi'], ['Bearer a b'], ['Bearer not.a.token'], [`Bearer ${'a'.repeat(5000)}`]])(
    '%.20s is refused',
    async (authorization) => {
      expect(await me({ authorization })).toBe('401 UNAUTHENTICATED');
    },
  );

  test('several spaces before the token are one', async () => {
    const { authorization } = await bearer();
    expect(await me({ authorization: authorization.replace(' ', '  ') })).toBe('200 OK');
    expect(keyHashOf('Bearer  ck_a')).toBe(keyHashOf('bearer ck_a'));
  });

  test('a token without a signature, or signed with the public key as a secret, is refused', async () => {
    const [, payload] = (await gateway.token()).split('.');
    const none = `${Buffer.from('{"alg":"none","kid":"key-1"}').toString('base64url')}.${payload}.`;
    expect(await me({ authorization: `Bearer ${none}` })).toBe('401 UNAUTHENTICATED');
    const [header, , signature] = (await gateway.token()).split('.');
    const other = Buffer.from(JSON.stringify({ sub: USER_ID })).toString('base64url');
    expect(await me({ authorization: `Bearer ${header}.${other}.${signature}` })).toBe('401 UNAUTHENTICATED');
  });

  test('an expired token has its own code, even if it was verified before', async () => {
    const headers = await bearer();
    expect(await me(headers)).toBe('200 OK');
    clock.advance(3_599_000);
    expect(await me(headers)).toBe('200 OK');
    clock.advance(1_000);
    expect(await me(headers)).toBe('401 TOKEN_EXPIRED');
    expect(await me(headers)).toBe('401 TOKEN_EXPIRED');
    expect(await me(await bearer({}, { expires: clock.now().getTime() / 1000 - 1 }))).toBe('401 TOKEN_EXPIRED');
  });

  test('a new key is found immediately; unknown key ids cause few calls to identity', async () => {
    expect(await me(await bearer())).toBe('200 OK');
    const before = await bearer();
    clock.advance(6_000);
    gateway.rotate();
    expect(await me(await bearer())).toBe('200 OK');
    expect(await me(before)).toBe('200 OK');
    expect(gateway.jwksRequests()).toBe(2);
    const invented = await bearer({}, { kid: 'invented' });
    for (let i = 0; i < 5; i++) expect(await me(invented)).toBe('401 UNAUTHENTICATED');
    expect(gateway.jwksRequests()).toBe(2);
    clock.advance(6_000);
    for (let i = 0; i < 5; i++) expect(await me(invented)).toBe('401 UNAUTHENTICATED');
    expect(gateway.jwksRequests()).toBe(3);
  });

  test('the key set is public', async () => {
    const response = await fetch(`${gateway.url}/.well-known/jwks.json`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ keys: [{ kid: 'key-1', kty: 'EC', crv: 'P-256', alg: 'ES256' }] });
  });
});

describe('operators', () => {
  const stats = (headers: Record<string, string>) => codeOf('GET', '/api/superadmin/stats', headers);

  test('a valid key is accepted and its name is the caller', async () => {
    expect(await stats({ 'x-admin-key': OPERATOR_KEY })).toBe('200 OK');
    expect(gateway.calls[0]?.caller).toMatchObject({ kind: 'operator', id: 'ana' });
  });

  test('a wrong key, no key, a part of a key and a user token are refused', async () => {
    for (const key of ['', 'wrong', OPERATOR_KEY.slice(0, -1), `${OPERATOR_KEY}x`]) expect(await stats({ 'x-admin-key': key })).toBe('401 INVALID_ADMIN_KEY');
    expect(await stats(await bearer())).toBe('401 INVALID_ADMIN_KEY');
  });

  test('an operator key is not accepted as a token', async () => {
    expect(await codeOf('GET', '/api/doctors', { 'x-admin-key': OPERATOR_KEY })).toBe('401 UNAUTHENTICATED');
  });
});
