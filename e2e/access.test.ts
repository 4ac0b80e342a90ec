// Access to every route: each row with every kind of caller, and the order of the checks.
import { createHmac, createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { apiAt, type Extra } from './api.ts';
import { addDoctor, type Clinic, newClinic } from './clinic.ts';
import { asOwner, forge, signingKey } from './product-internals.ts';
import { named, nameOf, pathOf, type Row, rows } from './rows.ts';

const api = apiAt(publicApi());
const now = Math.floor(Date.now() / 1000);

const protectedRows = rows.filter(({ access }) => access === 'user' || access === 'admin');
const operatorRows = rows.filter(({ access }) => access === 'superadmin');
const publicRows = rows.filter(({ access }) => access === 'public');

let clinic: Clinic;
beforeAll(async () => {
  clinic = await newClinic(api);
});

const PASSED = [200, 201, 204, 400, 404, 409, 415];

/** Sends an empty request to an unknown id: a caller with access gets 400, 404 or a list. */
const knock = (row: Row, extra: Extra = {}) =>
  api.send(
    row.method.toUpperCase(),
    pathOf(row, () => randomUUID()),
    row.request?.body ? {} : undefined,
    extra,
  );

async function expectRefusal(row: Row, extra: Extra, status: number, code: string): Promise<void> {
  const answer = await knock(row, extra);
  expect({ status: answer.status, body: answer.body }).toEqual({ status, body: { error: expect.any(String), code } });
}

async function expectPassage(row: Row, extra: Extra): Promise<void> {
  const { status, body } = await knock(row, extra);
  // Any response about the empty request proves access. A row may state that the record itself also depends on the role.
  const ofTheRecord = body?.code === 'FORBIDDEN' && row.errors?.includes('FORBIDDEN');
  if (!PASSED.includes(status) && !ofTheRecord) throw new Error(`${nameOf(row)} answered ${status} ${body?.code} to a caller with access`);
}

const setRole = (userId: string, role: string) => asOwner(publicApi(), 'update identity.users set app_role = $2 where id = $1', [userId, role]);
const setActive = (userId: string, active: boolean) => asOwner(publicApi(), 'update identity.users set is_active = $2 where id = $1', [userId, active]);
const setClinic = async (id: string, change: object) => {
  const { status } = await api.patch(`/api/superadmin/clinics/${id}`, change, api.operator);
  expect(status).toBe(200);
};

describe('tokens', () => {
  const unknownKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const unsigned = (token: string) => `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${token.split('.')[1]}.`;
  /** Signed with the public key as the secret of an HMAC. */
  const hmac = (token: string) => {
    const { kid, key } = signingKey(publicApi());
    const signed = `${Buffer.from(JSON.stringify({ alg: 'HS256', kid })).toString('base64url')}.${token.split('.')[1]}`;
    const secret = createPublicKey(key).export({ type: 'spki', format: 'pem' });
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
  };
  const swapped = (token: string) => {
    const [header, payload = '', signature] = token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return `${header}.${Buffer.from(JSON.stringify({ ...claims, clinic_id: randomUUID() })).toString('base64url')}.${signature}`;
  };
  const signedOut = async () => {
    const { body } = await api.post('/api/auth/login', clinic);
    const token: string = body.access_token;
    expect((await api.post('/api/auth/logout', undefined, { token })).status).toBe(200);
    return { token };
  };
  const bad: [string, () => Promise<Extra> | Extra, string][] = [
    ['none', () => ({}), 'UNAUTHENTICATED'],
    ['garbage', () => ({ token: 'garbage' }), 'UNAUTHENTICATED'],
    ['an empty one', () => ({ headers: { Authorization: 'Bearer ' } }), 'UNAUTHENTICATED'],
    ['another scheme', () => ({ headers: { Authorization: `Basic ${clinic.token}` } }), 'UNAUTHENTICATED'],
    ['a long one', () => ({ token: 'x'.repeat(5000) }), 'UNAUTHENTICATED'],
    ['expired', async () => ({ token: await forge(publicApi(), clinic.token, { claims: { iat: now - 30_000, exp: now - 1_200 } }) }), 'TOKEN_EXPIRED'],
    ['for another audience', async () => ({ token: await forge(publicApi(), clinic.token, { claims: { aud: 'someone-else' } }) }), 'UNAUTHENTICATED'],
    ['of another issuer', async () => ({ token: await forge(publicApi(), clinic.token, { claims: { iss: 'someone-else' } }) }), 'UNAUTHENTICATED'],
    ['without an end', async () => ({ token: await forge(publicApi(), clinic.token, { claims: { exp: undefined } }) }), 'UNAUTHENTICATED'],
    ['without a subject', async () => ({ token: await forge(publicApi(), clinic.token, { claims: { sub: undefined } }) }), 'UNAUTHENTICATED'],
    ['of nobody', async () => ({ token: await forge(publicApi(), clinic.token, { claims: { sub: randomUUID() } }) }), 'UNAUTHENTICATED'],
    ['into another clinic', async () => ({ token: await forge(publicApi(), clinic.token, { claims: { clinic_id: randomUUID() } }) }), 'UNAUTHENTICATED'],
    ['of another role', async () => ({ token: await forge(publicApi(), clinic.token, { claims: { role: 'service' } }) }), 'UNAUTHENTICATED'],
    ['signed with an unknown key', async () => ({ token: await forge(publicApi(), clinic.token, { key: unknownKey }) }), 'UNAUTHENTICATED'],
    ['of an unknown key', async () => ({ token: await forge(publicApi(), clinic.token, { header: { kid: 'nobody' }, key: unknownKey }) }), 'UNAUTHENTICATED'],
    ['of a session that has ended', signedOut, 'UNAUTHENTICATED'],
    ['with alg none', () => ({ token: unsigned(clinic.token) }), 'UNAUTHENTICATED'],
    ['with alg HS256 and the public key', () => ({ token: hmac(clinic.token) }), 'UNAUTHENTICATED'],
    ['with other claims under the old signature', () => ({ token: swapped(clinic.token) }), 'UNAUTHENTICATED'],
    ['the operator key instead', () => api.operator, 'UNAUTHENTICATED'],
  ];
  test.each(bad)('%s: 401 on every route of clinics', async (_name, make, code) => {
    const extra = await make();
    for (const row of protectedRows) await expectRefusal(row, extra, 401, code);
    expect(await api.get('/api/events', extra)).toMatchObject({ status: 401, body: { code } });
  });

  test('a token made in the same way with valid contents is accepted', async () => {
    const token = await forge(publicApi(), clinic.token, { claims: { jti: randomUUID() } });
    for (const row of protectedRows) await expectPassage(row, { token });
  });
});

describe.each(named(operatorRows))('%s', (_name, row) => {
  test('is accessible only with an operator key', async () => {
    await expectRefusal(row, {}, 401, 'INVALID_ADMIN_KEY');
    await expectRefusal(row, { headers: { 'X-Admin-Key': 'not-the-operator-key' } }, 401, 'INVALID_ADMIN_KEY');
    await expectRefusal(row, { token: clinic.token }, 401, 'INVALID_ADMIN_KEY');
    await expectPassage(row, api.operator);
  });
});

test.each(named(publicRows))('%s requires no authentication, and a token changes nothing', async (_name, row) => {
  const without = await knock(row);
  const garbage = await knock(row, { token: 'garbage' });
  expect({ status: garbage.status, body: garbage.body }).toEqual({ status: without.status, body: without.body });
});

describe('the state of user, clinic and plan, read live', () => {
  test.each(['receptionist', 'doctor'])('a %s has access to the routes for users and to no others', async (role) => {
    const mine = await newClinic(api);
    await setRole(mine.session.user.id, role);
    for (const row of protectedRows) {
      const isRefused = row.access === 'admin' || (row.roles && !row.roles.allowed.includes(role));
      if (isRefused) await expectRefusal(row, mine, 403, 'FORBIDDEN');
      else await expectPassage(row, mine);
    }
  });

  test('a deactivated user, a suspended clinic and an expired plan have no access', async () => {
    const mine = await newClinic(api);
    const everywhere = async (status: number, code: string) => {
      for (const row of protectedRows) await expectRefusal(row, mine, status, code);
      expect(await api.get('/api/events', mine)).toMatchObject({ status, body: { code } });
    };
    await setActive(mine.session.user.id, false);
    await everywhere(403, 'USER_INACTIVE');
    expect(await api.post('/api/auth/login', mine)).toMatchObject({ status: 403, body: { code: 'USER_INACTIVE' } });
    await setActive(mine.session.user.id, true);
    await setClinic(mine.id, { is_active: false });
    await everywhere(403, 'CLINIC_SUSPENDED');
    await setClinic(mine.id, { is_active: true, expiresInDays: 0 });
    await everywhere(402, 'SUBSCRIPTION_EXPIRED');
    await setClinic(mine.id, { plan: 'forever_free' });
    for (const row of protectedRows) await expectPassage(row, mine);
  });

  test('an admin without the required second factor has access only to the routes that set it up', async () => {
    const mine = await newClinic(api);
    await asOwner(publicApi(), 'update identity.clinics set require_mfa_for_admins = true where clinic_id = $1', [mine.id]);
    for (const row of protectedRows) {
      if (row.withoutMfa) await expectPassage(row, mine);
      else await expectRefusal(row, mine, 403, 'MFA_SETUP_REQUIRED');
    }
    expect(await api.get('/api/events', mine)).toMatchObject({ status: 403, body: { code: 'MFA_SETUP_REQUIRED' } });
  });

  test('features depend on the plan, and dental routes on the type of the clinic', async () => {
    const basic = await newClinic(api, { plan: 'basic', registration: { clinicType: 'medical' } });
    for (const row of protectedRows.filter(({ feature }) => feature)) {
      const { body } = await api.get('/api/auth/me', basic);
      if (!body.subscription.features[row.feature ?? '']) await expectRefusal(row, basic, 403, 'PLAN_UPGRADE_REQUIRED');
    }
    await setClinic(basic.id, { plan: 'clinica', expiresInDays: 30 });
    for (const row of protectedRows) {
      if (row.dental) await expectRefusal(row, basic, 403, 'DENTAL_CLINIC_REQUIRED');
      else await expectPassage(row, basic);
    }
  });
});

test('when several checks fail, the first in order decides the response', async () => {
  const mine = await newClinic(api);
  const user = mine.session.user.id;
  await setRole(user, 'receptionist');
  await setActive(user, false);
  await setClinic(mine.id, { is_active: false, expiresInDays: 0 });
  const row = protectedRows.find(({ method, path }) => method === 'post' && path === '/api/doctors');
  if (!row) throw new Error('no route adds doctors');
  const add = (body: unknown, extra: Extra = mine) => api.post('/api/doctors', body, extra);
  const invalid = { fullName: '' };

  expect(await add(invalid, { token: 'garbage' })).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
  expect(await add(invalid)).toMatchObject({ status: 403, body: { code: 'USER_INACTIVE' } });
  await setActive(user, true);
  expect(await add(invalid)).toMatchObject({ status: 403, body: { code: 'CLINIC_SUSPENDED' } });
  await setClinic(mine.id, { is_active: true });
  expect(await add(invalid)).toMatchObject({ status: 402, body: { code: 'SUBSCRIPTION_EXPIRED' } });
  await setClinic(mine.id, { plan: 'basic', expiresInDays: 30 });
  expect(await add(invalid)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  await setRole(user, 'admin');
  for (let count = 0; count < 2; count++) await addDoctor(api, mine);
  expect(await add(invalid)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR', details: [{ path: 'fullName' }] } });
  expect(await add({ fullName: 'Third' })).toMatchObject({ status: 403, body: { code: 'DOCTOR_LIMIT_REACHED' } });
  const invalidAndMissing = await api.patch(`/api/patients/${randomUUID()}`, { email: 'none' }, mine);
  expect(invalidAndMissing).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR', details: [{ path: 'email' }] } });
});

describe('integration keys', () => {
  test('a key works within its scopes, is named in the audit log, and is refused as soon as it is revoked', async () => {
    const body = { name: 'Agenda externa', scopes: ['patients:read', 'patients:write'] };
    const created = await api.post('/api/integration-keys', body, clinic);
    expect(created).toMatchObject({ status: 201, body: { ...body, key: expect.stringMatching(/^ck_/), expires_at: null, last_used_at: null } });
    const key = { token: created.body.key };
    const patient = await api.post('/api/patients', { fullName: 'Rosa Alemán', phone: '+50371234567' }, key);
    expect(patient.status).toBe(201);
    expect((await api.get(`/api/patients/${patient.body.id}`, key)).status).toBe(200);
    for (const path of ['/api/appointments', '/api/users', '/api/audit-log', '/api/integration-keys', '/api/events'])
      expect([path, (await api.get(path, key)).body.code]).toEqual([path, 'SCOPE_REQUIRED']);
    const { body: log } = await api.get(`/api/audit-log?entity_id=${patient.body.id}&action=patient.created`, clinic);
    expect(log.entries).toMatchObject([{ actor_kind: 'integration_key', actor_id: created.body.id, actor_name: 'Agenda externa' }]);
    const { body: list } = await api.get('/api/integration-keys', clinic);
    expect(list.keys).toMatchObject([{ id: created.body.id, last_used_at: expect.any(String) }]);
    expect(JSON.stringify(list)).not.toContain(created.body.key);
    expect((await api.delete(`/api/integration-keys/${created.body.id}`, clinic)).status).toBe(200);
    expect(await api.get(`/api/patients/${patient.body.id}`, key)).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
  });
});
