// Switching users by PIN, and the sessions of a user.
import { randomUUID } from 'node:crypto';
import { sql } from '@clinic/lib/db/db.ts';
import { asAdmin, asAnonymous, asService, asUser } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as argon2 from '@node-rs/argon2';
import { decodeJwt } from 'jose';
import { type Identity, PASSWORD, startIdentity } from '../testing/identity.ts';

let i: Identity;
beforeAll(async () => {
  i = await startIdentity();
});
afterAll(() => i.stop());

let people = 0;
const MINUTE = 60_000;

async function two() {
  i.codes.plan = 'clinica';
  const { clinic, user } = await i.register();
  const [id, adminId] = [clinic?.id ?? '', user?.id ?? ''];
  const admin = asAdmin(id, { userId: adminId });
  const other = await i.users.createUser({ fullName: 'Dra. Paz', email: `paz${++people}@example.com`, password: PASSWORD, appRole: 'doctor' }, admin);
  await i.users.setPin({ pin: '2468', password: PASSWORD }, asUser(id, { userId: other.id }));
  return { id, admin, adminId, other, switchTo: (pin: string, userId = other.id) => i.sessions.switchUser({ userId, pin }, admin) };
}

describe('a PIN', () => {
  test('signs the other user in', async () => {
    const { other, switchTo } = await two();
    const session = await switchTo('2468');
    expect(session.user).toMatchObject({ id: other.id, appRole: 'doctor' });
    expect((await i.sessions.refreshSession({ refreshToken: session.refreshToken }, asAnonymous())).user?.id).toBe(other.id);
  });

  test('ends the session that the browser had before, once the PIN was right, and no other', async () => {
    const { admin, adminId, other } = await two();
    const [{ email }] = await i.look('select email from users where id = $1', [adminId]);
    const signIn = () => i.sessions.login({ email, password: PASSWORD }, asAnonymous());
    const refresh = (refreshToken: string) => i.sessions.refreshSession({ refreshToken }, asAnonymous());
    const [before, elsewhere] = [await signIn(), await signIn()];
    const switchFrom = (refreshToken: string, pin: string) => i.sessions.switchUser({ userId: other.id, pin, refreshToken }, admin);
    await expect(switchFrom(before.refreshToken, '0000')).rejects.toMatchObject({ reason: 'INVALID_PIN' });
    const { refreshToken } = await refresh(before.refreshToken);
    const switched = await switchFrom(refreshToken, '2468');
    await expect(refresh(refreshToken)).rejects.toMatchObject({ reason: 'INVALID_REFRESH_TOKEN' });
    for (const token of [elsewhere.refreshToken, switched.refreshToken]) await refresh(token);
  });

  test('is not stored as plaintext', async () => {
    const { other } = await two();
    expect((await i.look('select pin_hash from users where id = $1', [other.id]))[0].pin_hash).toMatch(/^\$argon2id\$/);
  });

  test('is locked after 5 wrong guesses, for 1, 5 and 15 minutes, during which the right PIN is refused too; the third lock is mailed once', async () => {
    const { other, switchTo } = await two();
    const mails = () =>
      i.dependencies.calls.filter(({ rpc, request }) => rpc === 'messaging.sendMail' && request.to === other.email && request.kind === 'pin_locked');
    for (const minutes of [1, 5, 15]) {
      expect(mails()).toEqual([]);
      for (let n = 0; n < 5; n++) await expect(switchTo('0000')).rejects.toMatchObject({ reason: 'INVALID_PIN' });
      const locked = (seconds: number) => ({ reason: 'PIN_LOCKED', details: [{ path: 'retry_after', message: String(seconds) }] });
      await expect(switchTo('2468')).rejects.toMatchObject(locked(minutes * 60));
      i.clock.advance(minutes * MINUTE - 1);
      await expect(switchTo('2468')).rejects.toMatchObject(locked(1));
      i.clock.advance(1);
    }
    expect((await switchTo('2468')).user?.id).toBe(other.id);
    await waitFor(() => mails().length === 1);
    expect(mails()[0]?.request.parameters).toMatchObject({ name: 'Dra. Paz', clinic: 'Clínica Sonrisa', at: expect.stringContaining('2026') });
    for (let n = 0; n < 5; n++) await expect(switchTo('0000')).rejects.toMatchObject({ reason: 'INVALID_PIN' });
    i.clock.advance(MINUTE);
    expect((await switchTo('2468')).user?.id).toBe(other.id);
  });

  test('that is removed while it is verified is refused', async () => {
    const { other, switchTo } = await two();
    // The PIN is removed when the guess is counted, which is after its hash was read.
    await i.look(`create function forget_pin() returns trigger language plpgsql as 'begin new.pin_hash = null; return new; end'`);
    await i.look(`create trigger forget_pin before update of pin_attempts on users for each row when (old.id = '${other.id}') execute function forget_pin()`);
    await expect(switchTo('2468')).rejects.toMatchObject({ reason: 'INVALID_PIN' });
    await i.look('drop function forget_pin cascade');
  });

  test('begins a session that ends after 12 hours, also for its access tokens', async () => {
    const { switchTo } = await two();
    const session = await switchTo('2468');
    expect(session.expiresIn).toBe(8 * 3600);
    i.clock.advance(11 * 60 * MINUTE);
    const refreshed = await i.sessions.refreshSession({ refreshToken: session.refreshToken }, asAnonymous());
    expect([refreshed.expiresIn, Number(decodeJwt(refreshed.accessToken).exp) * 1000]).toEqual([3600, i.clock.now().getTime() + 60 * MINUTE]);
    i.clock.advance(60 * MINUTE);
    await expect(i.sessions.refreshSession({ refreshToken: refreshed.refreshToken }, asAnonymous())).rejects.toMatchObject({ reason: 'INVALID_REFRESH_TOKEN' });
  });

  test('is set only with the password', async () => {
    const { id, other } = await two();
    const me = asUser(id, { userId: other.id });
    await expect(i.users.setPin({ pin: '1357', password: 'wrong password' }, me)).rejects.toMatchObject({ reason: 'INVALID_CREDENTIALS' });
    await expect(i.users.setPin({ pin: '1357' }, me)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path: 'password' }] });
  });

  test('that was set by an earlier release is valid', async () => {
    const { other, switchTo } = await two();
    await i.change(sql('update users set pin_hash = $2 where id = $1'), [
      other.id,
      await argon2.hash('1111', { memoryCost: 19_456, timeCost: 2, parallelism: 1 }),
    ]);
    expect((await switchTo('1111')).user?.id).toBe(other.id);
  });

  test('is removed when its user becomes an admin, whose PINs have at least 6 digits, and the sessions that began with it end', async () => {
    const { admin, other, switchTo } = await two();
    const session = await switchTo('2468');
    expect(await i.users.updateUserRole({ id: other.id, appRole: 'admin' }, admin)).toMatchObject({ hasPin: false });
    await expect(switchTo('2468')).rejects.toMatchObject({ reason: 'INVALID_PIN' });
    await expect(i.sessions.refreshSession({ refreshToken: session.refreshToken }, asAnonymous())).rejects.toMatchObject({ reason: 'INVALID_REFRESH_TOKEN' });
  });

  test('a right guess resets the count of wrong ones', async () => {
    const { switchTo } = await two();
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 4; n++) await expect(switchTo('0000')).rejects.toMatchObject({ reason: 'INVALID_PIN' });
      await switchTo('2468');
    }
  });

  test('20 concurrent guesses are limited to 5', async () => {
    const { id, switchTo } = await two();
    const { reasons } = await i.race('users', id, () => Array.from({ length: 20 }, () => switchTo('0000')));
    expect(reasons).toEqual([...Array(5).fill('INVALID_PIN'), ...Array(15).fill('PIN_LOCKED')]);
  });

  test('does not switch to a user without a PIN, a deactivated one, or one of another clinic', async () => {
    const { id, admin, adminId, other, switchTo } = await two();
    const otherClinic = await two();
    await expect(switchTo('2468', adminId)).rejects.toMatchObject({ reason: 'INVALID_PIN' });
    for (const userId of [otherClinic.other.id, randomUUID(), 'x']) await expect(switchTo('2468', userId)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    await i.users.updateUser({ id: other.id, isActive: false }, admin);
    await expect(switchTo('0000')).rejects.toMatchObject({ reason: 'INVALID_PIN' });
    await expect(switchTo('2468')).rejects.toMatchObject({ reason: 'USER_INACTIVE' });
    expect(await i.look('select 1 from session_families where clinic_id = $1 and user_id = $2', [id, other.id])).toEqual([]);
  });

  test('that was removed is refused, and removing it again is no error', async () => {
    const { id, other, switchTo } = await two();
    const me = asUser(id, { userId: other.id });
    for (let n = 0; n < 2; n++) await i.users.removePin({}, me);
    await expect(switchTo('2468')).rejects.toMatchObject({ reason: 'INVALID_PIN' });
    expect((await i.users.listUsers({}, me)).users.find((user) => user.id === other.id)?.hasPin).toBe(false);
    expect(await i.look("select actor_id from audit_log where clinic_id = $1 and action = 'user.pin_removed'", [id])).toEqual([{ actor_id: other.id }]);
  });

  test.each(['123', '123456789', 'abcd', '', '12 34', '2468', '123456', '777777'])('%j is not a PIN of an admin', async (pin) => {
    const { admin } = await two();
    await expect(i.users.setPin({ pin, password: PASSWORD }, admin)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path: 'pin' }] });
  });
});

describe('sessions', () => {
  const signIn = async (email: string, ip: string) => {
    const session = await i.sessions.login({ email, password: PASSWORD }, asAnonymous({ ip }));
    return { ...session, sid: String(decodeJwt(session.accessToken).sid) };
  };

  test('are listed with IP address and time, most recently used first, with the current one marked', async () => {
    const { id, other } = await two();
    const older = await signIn(other.email, '192.0.2.1');
    i.clock.advance(MINUTE);
    const newer = await signIn(other.email, '192.0.2.2');
    i.clock.advance(MINUTE);
    await i.sessions.refreshSession({ refreshToken: older.refreshToken }, asAnonymous({ ip: '192.0.2.9' }));
    const me = asUser(id, { userId: other.id, sessionId: newer.sid });
    const { sessions, ...page } = await i.sessions.listSessions({}, me);
    expect(page).toMatchObject({ total: 2, page: 1, limit: 50 });
    expect(await i.sessions.listSessions({ page: 2, limit: 1 }, me)).toMatchObject({ sessions: [sessions[1]], total: 2, page: 2, limit: 1 });
    expect(sessions).toMatchObject([
      { id: older.sid, ip: '192.0.2.9', isCurrent: false },
      { id: newer.sid, ip: '192.0.2.2', isCurrent: true },
    ]);
    expect(await i.sessions.getSession({ id: older.sid }, me)).toEqual(sessions[0]);
  });

  test('the tokens of an ended session are refused', async () => {
    const { id, other } = await two();
    const [gone, current] = [await signIn(other.email, '192.0.2.1'), await signIn(other.email, '192.0.2.2')];
    const me = asUser(id, { userId: other.id, sessionId: current.sid });
    const ended = async (sessionId: string) => (await i.access.resolveAccess({ userId: other.id, clinicId: id, sessionId }, asService('gateway'))).sessionEnded;
    expect([await ended(gone.sid), await ended(current.sid), await ended('')]).toEqual([false, false, false]);
    await i.sessions.endSession({ id: gone.sid }, me);
    expect([await ended(gone.sid), await ended(current.sid)]).toEqual([true, false]);
    await expect(i.sessions.refreshSession({ refreshToken: gone.refreshToken }, asAnonymous())).rejects.toMatchObject({ reason: 'INVALID_REFRESH_TOKEN' });
    await expect(i.sessions.endSession({ id: gone.sid }, me)).rejects.toMatchObject({ reason: 'NOT_FOUND', message: 'Session not found' });
    expect((await i.sessions.listSessions({}, me)).sessions.map((session) => session.id)).toEqual([current.sid]);
  });

  test('of other users are not found', async () => {
    const { id, admin, other } = await two();
    const { sid } = await signIn(other.email, '192.0.2.1');
    for (const wanted of [sid, randomUUID(), 'x']) {
      await expect(i.sessions.endSession({ id: wanted }, admin)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
      await expect(i.sessions.getSession({ id: wanted }, admin)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    }
    const admins = (await i.look('select user_id from users u join session_families f on f.user_id = u.id where u.clinic_id = $1', [id])).map(
      (row) => row.user_id,
    );
    expect(admins).toContain(other.id);
  });

  test('can be ended only with the password if the sign-in is 15 minutes old, except the current one', async () => {
    const { id, other } = await two();
    const [old, current] = [await signIn(other.email, '192.0.2.1'), await signIn(other.email, '192.0.2.2')];
    const me = asUser(id, { userId: other.id, sessionId: current.sid });
    i.clock.advance(15 * 60_000);
    const reason = 'SIGN_IN_REQUIRED';
    await expect(i.sessions.endSession({ id: old.sid }, me)).rejects.toMatchObject({ reason });
    await expect(i.sessions.endOtherSessions({}, me)).rejects.toMatchObject({ reason });
    expect((await i.sessions.endOtherSessions({ password: PASSWORD }, me)).message).toMatch(/^1 /);
    await i.sessions.endSession({ id: current.sid }, me);
  });

  test('a session begun by PIN can end others and set up a second factor only with the password', async () => {
    const { id, other, switchTo } = await two();
    const elsewhere = await signIn(other.email, '192.0.2.1');
    const switched = await switchTo('2468');
    const me = asUser(id, { userId: other.id, sessionId: String(decodeJwt(switched.accessToken).sid) });
    const reason = 'SIGN_IN_REQUIRED';
    await expect(i.sessions.endSession({ id: elsewhere.sid }, me)).rejects.toMatchObject({ reason });
    await expect(i.sessions.endOtherSessions({}, me)).rejects.toMatchObject({ reason });
    await expect(i.users.beginMfa({}, me)).rejects.toMatchObject({ reason });
    expect((await i.users.beginMfa({ password: PASSWORD }, me)).secret).not.toBe('');
    await i.sessions.endSession({ id: elsewhere.sid, password: PASSWORD }, me);
  });

  test('can be ended all at once, except the current one', async () => {
    const { id, other } = await two();
    const [current] = [await signIn(other.email, '192.0.2.1'), await signIn(other.email, '192.0.2.2'), await signIn(other.email, '192.0.2.3')];
    const me = asUser(id, { userId: other.id, sessionId: current.sid });
    expect((await i.sessions.endOtherSessions({}, me)).message).toMatch(/^2 /);
    expect((await i.sessions.listSessions({}, me)).sessions).toMatchObject([{ id: current.sid, isCurrent: true }]);
  });
});
