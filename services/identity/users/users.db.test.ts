// Users of a clinic: the limit, the last admin, access, and deactivation.
import { randomUUID } from 'node:crypto';
import { asAdmin, asAnonymous, asService, asUser } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { type Identity, PASSWORD, startIdentity } from '../testing/identity.ts';

let i: Identity;
beforeAll(async () => {
  i = await startIdentity();
});
afterAll(() => i.stop());

let people = 0;
const person = (changed = {}) => ({ fullName: 'Carla Menjívar', email: `carla${++people}@example.com`, password: PASSWORD, ...changed });

async function clinic(plan = 'clinica') {
  i.codes.plan = plan;
  const session = await i.register();
  const [id, adminId] = [session.clinic?.id ?? '', session.user?.id ?? ''];
  return { id, adminId, session, admin: asAdmin(id, { userId: adminId }), user: (userId: string, role = 'receptionist') => asUser(id, { userId, role }) };
}

describe('creating', () => {
  test('a user is a receptionist by default, and can sign in', async () => {
    const { id, admin } = await clinic();
    const made = await i.users.createUser(person({ phone: ' 7000-1234 ' }), admin);
    expect(made).toMatchObject({ clinicId: id, appRole: 'receptionist', isActive: true, hasPin: false, phone: '7000-1234' });
    expect(made.photoUrl).toBeUndefined();
    const { user } = await i.sessions.login({ email: made.email, password: PASSWORD }, asAnonymous());
    expect(user).toMatchObject({ id: made.id, appRole: 'receptionist', clinicId: id });
    expect(JSON.stringify(await i.look(`select * from audit_log where entity_id = $1`, [made.id]))).not.toMatch(/Carla|example\.com|7000-1234/);
  });

  test('only an admin may create an admin', async () => {
    const { admin, user } = await clinic();
    const colleague = await i.users.createUser(person(), admin);
    await expect(i.users.createUser(person({ appRole: 'admin' }), user(colleague.id))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
    expect((await i.users.createUser(person({ appRole: 'doctor' }), user(colleague.id))).appRole).toBe('doctor');
    expect((await i.users.createUser(person({ appRole: 'admin' }), admin)).appRole).toBe('admin');
  });

  test.each([
    ['fullName', { fullName: ' ' }],
    ['email', { email: 'x' }],
    ['password', { password: 'password' }],
    ['password', { password: 'short' }],
    ['appRole', { appRole: 'owner' }],
    ['phone', { phone: 'x'.repeat(41) }],
    ['phone', { phone: '7000-12' }],
    ['phone', { phone: 'call 7000-1234' }],
  ])('an invalid %s is refused by name: %j', async (path, changed) => {
    const { admin } = await clinic();
    await expect(i.users.createUser(person(changed), admin)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path }] });
  });

  test('an e-mail address that has an account in any clinic is refused', async () => {
    const one = await clinic();
    const other = await clinic();
    const { email } = await i.users.createUser(person(), one.admin);
    await expect(i.users.createUser(person({ email: email.toUpperCase() }), other.admin)).rejects.toMatchObject({ reason: 'EMAIL_TAKEN' });
  });

  test('an Idempotency-Key creates one user', async () => {
    const { id, adminId, admin } = await clinic();
    const again = asAdmin(id, { userId: adminId, key: 'key-1' });
    const body = person();
    const [first, second] = [await i.users.createUser(body, again), await i.users.createUser(body, again)];
    expect(second.id).toBe(first.id);
    expect((await i.users.listUsers({}, admin)).total).toBe(2);
  });

  test('notifies the admins by mail', async () => {
    const { session, admin } = await clinic();
    const to = session.user?.email ?? '';
    await i.users.createUser(person({ fullName: 'Carla Paz' }), admin);
    const mails = () => i.dependencies.calls.filter(({ rpc, request }) => rpc === 'messaging.sendMail' && request.kind === 'user_created' && request.to === to);
    await waitFor(() => mails().length === 1);
    expect(mails()[0]?.request.parameters).toMatchObject({ name: 'Ana Rivas', user: 'Carla Paz' });
  });
});

describe('the limit', () => {
  test('does not count the user who registered the clinic', async () => {
    const { admin } = await clinic('pro');
    await i.users.createUser(person(), admin);
    await expect(i.users.createUser(person(), admin)).rejects.toMatchObject({ reason: 'USER_LIMIT_REACHED' });
  });

  test('8 concurrent requests create one user', async () => {
    const { id, admin } = await clinic('basic');
    const { answers, reasons } = await i.race('clinics', id, () => Array.from({ length: 8 }, () => i.users.createUser(person(), admin)));
    expect([answers.length, reasons]).toEqual([1, Array(7).fill('USER_LIMIT_REACHED')]);
    expect((await i.users.listUsers({}, admin)).total).toBe(2);
  });

  test('counts reactivated users and not deactivated ones', async () => {
    const { admin } = await clinic('pro');
    const first = await i.users.createUser(person(), admin);
    await i.users.updateUser({ id: first.id, isActive: false }, admin);
    await i.users.createUser(person(), admin);
    await expect(i.users.updateUser({ id: first.id, isActive: true }, admin)).rejects.toMatchObject({ reason: 'USER_LIMIT_REACHED' });
    expect((await i.users.updateUser({ id: first.id, fullName: 'Otro Nombre' }, admin)).isActive).toBe(false);
  });

  test('follows a change of the plan at once', async () => {
    const { id, admin } = await clinic('clinica');
    await i.users.createUser(person(), admin);
    await i.look(`update identity.clinics set subscription_plan = 'pro' where clinic_id = $1`, [id]);
    await expect(i.users.createUser(person(), admin)).rejects.toMatchObject({ reason: 'USER_LIMIT_REACHED' });
  });

  test('if it cannot be checked, no user is created and the error is LIMIT_CHECK_UNAVAILABLE', async () => {
    const { admin } = await clinic('pro');
    await i.look('revoke update on clinics from clinic_identity');
    try {
      await expect(i.users.createUser(person(), admin)).rejects.toMatchObject({ reason: 'LIMIT_CHECK_UNAVAILABLE' });
    } finally {
      await i.look('grant update on clinics to clinic_identity');
    }
    expect((await i.users.listUsers({}, admin)).total).toBe(1);
  });
});

describe('the last admin', () => {
  test('can neither be deactivated nor demoted', async () => {
    const { adminId, admin } = await clinic();
    await expect(i.users.updateUser({ id: adminId, isActive: false }, admin)).rejects.toMatchObject({ reason: 'LAST_ADMIN' });
    await expect(i.users.updateUserRole({ id: adminId, appRole: 'doctor' }, admin)).rejects.toMatchObject({ reason: 'LAST_ADMIN' });
  });

  test('does not count deactivated admins', async () => {
    const { adminId, admin } = await clinic();
    const second = await i.users.createUser(person({ appRole: 'admin' }), admin);
    await i.users.updateUser({ id: second.id, isActive: false }, admin);
    await expect(i.users.updateUserRole({ id: adminId, appRole: 'doctor' }, admin)).rejects.toMatchObject({ reason: 'LAST_ADMIN' });
  });

  test('remains an admin when two admins demote each other concurrently', async () => {
    const { id, adminId, admin } = await clinic();
    const second = await i.users.createUser(person({ appRole: 'admin' }), admin);
    const { reasons } = await i.race('clinics', id, () => [
      i.users.updateUserRole({ id: second.id, appRole: 'doctor' }, admin),
      i.users.updateUser({ id: adminId, isActive: false }, asAdmin(id, { userId: second.id })),
    ]);
    expect(reasons).toEqual(['LAST_ADMIN']);
    expect(await i.look(`select count(*)::int as n from users where clinic_id = $1 and is_active and app_role = 'admin'`, [id])).toEqual([{ n: 1 }]);
  });
});

describe('changing', () => {
  test('users may change themselves, an admin may change others', async () => {
    const { admin, user } = await clinic();
    const [one, other] = [await i.users.createUser(person(), admin), await i.users.createUser(person(), admin)];
    expect((await i.users.updateUser({ id: one.id, fullName: 'Carla', phone: '22220000' }, user(one.id))).phone).toBe('22220000');
    expect((await i.users.updateUser({ id: one.id, phone: '' }, admin)).phone).toBeUndefined();
    expect((await i.users.updateUser({ id: one.id, phone: '2222-0000 ext. 12' }, admin)).phone).toBe('2222-0000 ext. 12');
    await expect(i.users.updateUser({ id: one.id, phone: 'no phone' }, admin)).rejects.toMatchObject({
      reason: 'VALIDATION_ERROR',
      details: [{ path: 'phone' }],
    });
    await expect(i.users.updateUser({ id: other.id, fullName: 'X' }, user(one.id))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
    await expect(i.users.updateUser({ id: one.id, isActive: true }, user(one.id))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
    await expect(i.users.updateUserRole({ id: one.id, appRole: 'doctor' }, user(one.id))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
  });

  test('a changed role and a deactivation apply to the next request', async () => {
    const { id, admin } = await clinic();
    const { id: userId } = await i.users.createUser(person(), admin);
    await i.users.updateUserRole({ id: userId, appRole: 'doctor' }, admin);
    expect(await i.access.resolveAccess({ userId, clinicId: id }, asService('gateway'))).toMatchObject({ userActive: true, appRole: 'doctor' });
    await i.users.updateUser({ id: userId, isActive: false }, admin);
    expect(await i.access.resolveAccess({ userId, clinicId: id }, asService('gateway'))).toMatchObject({ userActive: false, appRole: 'doctor' });
  });

  test('users of another clinic are not found', async () => {
    const one = await clinic();
    const other = await clinic();
    const { id } = await i.users.createUser(person(), one.admin);
    for (const wanted of [id, randomUUID(), 'x', '']) {
      await expect(i.users.updateUser({ id: wanted, fullName: 'X' }, other.admin)).rejects.toMatchObject({ reason: 'NOT_FOUND', message: 'User not found' });
      await expect(i.users.updateUserRole({ id: wanted, appRole: 'doctor' }, other.admin)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    }
    expect((await i.users.listUsers({}, other.admin)).users.map((user) => user.id)).toEqual([other.adminId]);
  });

  test('each page has the total, even one beyond the last', async () => {
    const { admin } = await clinic();
    for (let n = 0; n < 3; n++) await i.users.createUser(person({ fullName: `Z ${n}` }), admin);
    expect(await i.users.listUsers({ page: 2, limit: 3 }, admin)).toMatchObject({ total: 4, page: 2, limit: 3, users: [{ fullName: 'Z 2' }] });
    expect(await i.users.listUsers({ page: 9, limit: 3 }, admin)).toMatchObject({ total: 4, users: [] });
  });
});

test('a deactivated user loses every session at once, and does not regain them after reactivation', async () => {
  const { id, admin } = await clinic();
  const made = await i.users.createUser(person(), admin);
  const { refreshToken } = await i.sessions.login({ email: made.email, password: PASSWORD }, asAnonymous());
  await i.users.updateUser({ id: made.id, isActive: false }, admin);
  await expect(i.sessions.login({ email: made.email, password: PASSWORD }, asAnonymous())).rejects.toMatchObject({ reason: 'USER_INACTIVE' });
  await i.users.updateUser({ id: made.id, isActive: true }, admin);
  await expect(i.sessions.refreshSession({ refreshToken }, asAnonymous())).rejects.toMatchObject({ reason: 'INVALID_REFRESH_TOKEN' });
  expect(await i.look(`select end_reason from session_families where clinic_id = $1 and user_id = $2`, [id, made.id])).toEqual([
    { end_reason: 'user_inactive' },
  ]);
});

describe('a photo', () => {
  const png = () =>
    sharp({ create: { width: 900, height: 600, channels: 3, background: 'red' } })
      .png()
      .toBuffer();

  test('is served to everyone who knows its URL; a new photo has a new URL', async () => {
    const { adminId, user } = await clinic();
    const me = user(adminId);
    const first = await i.users.setPhoto({ content: await png(), contentType: 'image/png' }, me);
    const [, id = ''] = /^http:\/\/localhost:8080\/api\/users\/photos\/([0-9a-f-]{36})$/.exec(first.photoUrl ?? '') ?? [];
    const file = await i.users.getPhoto({ id }, asAnonymous());
    expect(file).toMatchObject({ contentType: 'image/webp', etag: id });
    expect(await sharp(file.content).metadata()).toMatchObject({ format: 'webp', width: 512 });
    const second = await i.users.setPhoto({ content: await png(), contentType: 'image/png' }, me);
    expect(second.photoUrl).not.toBe(first.photoUrl);
    await expect(i.users.getPhoto({ id }, asAnonymous())).rejects.toMatchObject({ reason: 'NOT_FOUND', message: 'Photo not found' });
    for (let n = 0; n < 2; n++) expect((await i.users.removePhoto({}, me)).photoUrl).toBeUndefined();
    expect(await i.look("select 1 from audit_log where clinic_id = $1 and action = 'user.photo_removed'", [first.clinicId])).toHaveLength(1);
    expect(await i.look('select 1 from pictures where clinic_id = $1', [first.clinicId])).toEqual([]);
  });

  test.each(['', 'x', randomUUID()])('an unknown id is not found: %j', async (id) => {
    await expect(i.users.getPhoto({ id }, asAnonymous())).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });
});
