// Refresh tokens: rotation, lost responses, stolen tokens, and the end of a session.
import { sql } from '@clinic/lib/db/db.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { asAdmin, asAnonymous, asOperator, asService, asUser } from '@clinic/lib/testing/callers.ts';
import { ClinicSessionService } from '@clinic/proto/identity/v1/clinic_sessions_pb.js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import { type Identity, NOW, PASSWORD, startIdentity } from '../testing/identity.ts';
import { purgeSessions } from './purge-sessions.ts';

let i: Identity;
beforeAll(async () => {
  i = await startIdentity();
});
afterAll(() => i.stop());

const refresh = (refreshToken: string) => i.sessions.refreshSession({ refreshToken }, asAnonymous());
const ended = { reason: 'INVALID_REFRESH_TOKEN' };
const DAY_MS = 24 * 3_600_000;

test('a sign-in ends the session that the browser had before, and no other', async () => {
  const { refreshToken: before, user } = await i.register();
  const signIn = (refreshToken: string, password = PASSWORD) => i.sessions.login({ email: user?.email ?? '', password, refreshToken }, asAnonymous());
  await expect(signIn(before, 'wrong password')).rejects.toMatchObject({ reason: 'INVALID_CREDENTIALS' });
  const other = await signIn('no such token');
  const { refreshToken } = await signIn(before);
  await expect(refresh(before)).rejects.toMatchObject(ended);
  for (const token of [other.refreshToken, refreshToken]) await refresh(token);
});

describe('rotation', () => {
  test('each refresh returns the next token until the family expires', async () => {
    const first = await i.register();
    const second = await refresh(first.refreshToken);
    expect(second.refreshToken).toMatch(/^[\w-]{43}$/);
    expect(second.refreshToken).not.toBe(first.refreshToken);
    expect(Number(second.refreshExpiresAt?.seconds) * 1000).toBe(i.clock.now().getTime() + 7 * DAY_MS);
    let last = second;
    for (let day = 6; day < 30; day += 6) {
      i.clock.advance(6 * DAY_MS);
      last = await refresh(last.refreshToken);
      expect(last.user).toEqual(first.user);
    }
    i.clock.advance(6 * DAY_MS - 1000);
    last = await refresh(last.refreshToken);
    expect(Number(last.refreshExpiresAt?.seconds) * 1000).toBe(i.clock.now().getTime() + 1000);
    i.clock.advance(1000);
    await expect(refresh(last.refreshToken)).rejects.toMatchObject(ended);
  });

  test('a session that is not refreshed for 7 days has ended', async () => {
    const { refreshToken, clinic, user } = await i.register();
    const me = asUser(clinic?.id ?? '', { userId: user?.id ?? '' });
    i.clock.advance(7 * DAY_MS - 1);
    expect((await i.sessions.listSessions({}, me)).total).toBe(1);
    const next = await refresh(refreshToken);
    i.clock.advance(7 * DAY_MS);
    expect((await i.sessions.listSessions({}, me)).total).toBe(0);
    await expect(refresh(next.refreshToken)).rejects.toMatchObject(ended);
  });

  test('20 concurrent refreshes get the same successor, which works', async () => {
    const { refreshToken, clinic } = await i.register();
    const { answers, reasons } = await i.race('session_families', clinic?.id, () => Array.from({ length: 20 }, () => refresh(refreshToken)));
    expect(reasons).toEqual([]);
    const successors = new Set(answers.map((session) => session.refreshToken));
    expect(successors.size).toBe(1);
    expect((await refresh([...successors][0] ?? '')).accessToken).not.toBe('');
  });

  test('no token is stored as plaintext', async () => {
    const { refreshToken } = await i.register();
    const next = await refresh(refreshToken);
    const stored = JSON.stringify(await i.look('select * from refresh_tokens'));
    for (const token of [refreshToken, next.refreshToken]) expect(stored).not.toContain(Buffer.from(token).toString('hex'));
    expect(stored).not.toContain(next.refreshToken);
  });
});

describe('a token that is used again', () => {
  test('within 10 seconds gets the same successor, because the response may have been lost', async () => {
    const { refreshToken } = await i.register();
    const next = await refresh(refreshToken);
    i.clock.advance(10_000);
    expect((await refresh(refreshToken)).refreshToken).toBe(next.refreshToken);
  });

  test('later ends the family', async () => {
    const { refreshToken } = await i.register();
    const next = await refresh(refreshToken);
    i.clock.advance(10_001);
    await expect(refresh(refreshToken)).rejects.toMatchObject(ended);
    await expect(refresh(next.refreshToken)).rejects.toMatchObject(ended);
  });

  test('after its successor was used ends the family', async () => {
    const { refreshToken, user } = await i.register();
    const next = await refresh(refreshToken);
    const last = await refresh(next.refreshToken);
    await expect(refresh(refreshToken)).rejects.toMatchObject(ended);
    await expect(refresh(last.refreshToken)).rejects.toMatchObject(ended);
    expect(await i.look('select end_reason from session_families where user_id = $1', [user?.id])).toEqual([{ end_reason: 'reuse' }]);
    expect(await i.look(`select actor_id from audit_log where action = 'session.reused_token_refused' and actor_id = $1`, [user?.id])).toHaveLength(1);
  });

  test('does not end the sessions on other devices', async () => {
    const { refreshToken, user } = await i.register();
    const other = await i.sessions.login({ email: user?.email ?? '', password: i.form().password }, asAnonymous());
    await refresh(refreshToken);
    i.clock.advance(11_000);
    await expect(refresh(refreshToken)).rejects.toMatchObject(ended);
    expect((await refresh(other.refreshToken)).accessToken).not.toBe('');
  });
});

describe('the end of a session', () => {
  test('logout ends the family; an unknown or missing token is not an error', async () => {
    const { refreshToken } = await i.register();
    const next = await refresh(refreshToken);
    await i.sessions.logout({ refreshToken }, asAnonymous());
    await expect(refresh(next.refreshToken)).rejects.toMatchObject(ended);
    for (const unknown of ['', 'x', refreshToken]) expect((await i.sessions.logout({ refreshToken: unknown }, asAnonymous())).message).toBe('Signed out');
  });

  test('logout is in the audit log once, with the cookie, the access token, or both', async () => {
    const { user, clinic } = await i.register();
    for (const withCookie of [true, false])
      for (const withToken of [true, false]) {
        const { accessToken, refreshToken } = await i.sessions.login({ email: user?.email ?? '', password: PASSWORD }, asAnonymous());
        await i.sessions.logout({ ...(withCookie && { refreshToken }), ...(withToken && { authorization: `Bearer ${accessToken}` }) }, asAnonymous());
        const entries = await i.look("select actor_id, clinic_id from audit_log where action = 'session.ended' and entity_id = $1", [
          decodeJwt(accessToken).sid,
        ]);
        expect(entries).toEqual(withCookie || withToken ? [{ actor_id: user?.id, clinic_id: clinic?.id }] : []);
      }
  });

  test('logout with an access token alone ends its session, and no other', async () => {
    const { accessToken, refreshToken, clinic, user } = await i.register();
    const other = await i.sessions.login({ email: user?.email ?? '', password: i.form().password }, asAnonymous());
    const isEnded = async (token: string) =>
      (await i.access.resolveAccess({ userId: user?.id ?? '', clinicId: clinic?.id ?? '', sessionId: String(decodeJwt(token).sid) }, asService('gateway')))
        .sessionEnded;
    for (const unknown of ['', 'x', 'Bearer x', `Bearer ${accessToken}x`, `Basic ${accessToken}`])
      expect((await i.sessions.logout({ authorization: unknown }, asAnonymous())).message).toBe('Signed out');
    expect(await isEnded(accessToken)).toBe(false);
    await i.sessions.logout({ authorization: `Bearer ${accessToken}` }, asAnonymous());
    expect([await isEnded(accessToken), await isEnded(other.accessToken)]).toEqual([true, false]);
    await expect(refresh(refreshToken)).rejects.toMatchObject(ended);
  });

  test('an operator ends all sessions of a clinic, including one that has expired but whose access token has not', async () => {
    let last = await i.register();
    const clinicId = last.clinic?.id ?? '';
    const access = { userId: last.user?.id ?? '', clinicId, sessionId: String(decodeJwt(last.accessToken).sid) };
    const end = () => i.service.client(ClinicSessionService).endClinicSessions({ clinicId }, asOperator());
    for (const days of [6, 6, 6, 6, 5.9]) {
      i.clock.advance(days * DAY_MS);
      last = await refresh(last.refreshToken);
    }
    i.clock.advance(0.2 * DAY_MS);
    expect((await i.access.resolveAccess(access, asService('gateway'))).sessionEnded).toBe(false);
    expect((await end()).ended).toBe(1);
    expect((await i.access.resolveAccess(access, asService('gateway'))).sessionEnded).toBe(true);
    expect((await end()).ended).toBe(0);
  });

  test.each(['', 'x', 'a\0b', 'x'.repeat(100_000)])('a malformed token is not an error: %#', async (token) => {
    await expect(refresh(token)).rejects.toMatchObject(ended);
  });

  test('a deactivated user loses the session, and does not regain it after reactivation', async () => {
    const { refreshToken, user } = await i.register();
    const active = sql('update users set is_active = $2 where id = $1');
    await i.change(active, [user?.id, false]);
    await expect(refresh(refreshToken)).rejects.toMatchObject(ended);
    await i.change(active, [user?.id, true]);
    await expect(refresh(refreshToken)).rejects.toMatchObject(ended);
  });

  test('the sessions of a suspended clinic work again after the suspension', async () => {
    const { refreshToken, user } = await i.register();
    const active = sql('update clinics set is_active = $2 where clinic_id = $1');
    await i.change(active, [user?.clinicId, false]);
    await expect(refresh(refreshToken)).rejects.toMatchObject({ reason: 'CLINIC_SUSPENDED' });
    await i.change(active, [user?.clinicId, true]);
    expect((await refresh(refreshToken)).accessToken).not.toBe('');
  });

  test('is published with the user, or for all users of the clinic, so that live streams end; so is a change of the role', async () => {
    const { clinic, user, accessToken, refreshToken } = await i.register();
    const clinicId = clinic?.id ?? '';
    const admin = asAdmin(clinicId, { userId: user?.id ?? '' });
    const { email, id } = await i.users.createUser({ fullName: 'Eva Sol', email: 'eva.sol@example.com', password: PASSWORD, appRole: 'doctor' }, admin);
    const signIn = () => i.sessions.login({ email, password: PASSWORD }, asAnonymous());
    const published = async () => {
      const rows = await i.look(`delete from outbox where clinic_id = $1 and subject like '%.identity.access-changed' returning payload`, [clinicId]);
      return rows.map(({ payload }) => payload);
    };
    await i.users.updateUser({ id, fullName: 'Eva Luna' }, admin);
    await i.users.updateUserRole({ id, appRole: 'doctor' }, admin);
    expect(await published()).toEqual([]);
    await i.users.updateUserRole({ id, appRole: 'receptionist' }, admin);
    expect(await published()).toEqual([{ userId: id }]);
    await signIn();
    await i.users.updateUser({ id, isActive: false }, admin);
    expect(await published()).toEqual([{ userId: id }]);
    await i.sessions.logout({ authorization: `Bearer ${accessToken}` }, asAnonymous());
    expect(await published()).toEqual([{ userId: user?.id }]);
    await i.sessions.logout({ refreshToken }, asAnonymous()); // it has ended before
    expect(await published()).toEqual([]);
    await i.users.updateUser({ id, isActive: true }, admin);
    const { refreshToken: next } = await signIn();
    await i.sessions.logout({ refreshToken: next }, asAnonymous());
    expect(await published()).toEqual([{ userId: id }]);
    await signIn();
    await i.service.client(ClinicSessionService).endClinicSessions({ clinicId }, asOperator());
    expect(await published()).toEqual([{}]);
  });

  test('sessions that ended more than a day ago are deleted every night, with their tokens', async () => {
    i.clock.set(NOW);
    const gone = await i.register();
    await i.sessions.logout({ refreshToken: gone.refreshToken }, asAnonymous());
    i.clock.advance(DAY_MS + 1);
    const current = await i.register();
    await i.sessions.logout({ refreshToken: current.refreshToken }, asAnonymous());
    const running = await i.register();
    const job = purgeSessions({ db: i.service.db, clock: i.clock, log: createLog('test', 'silent') } as never);
    await job.work({} as never);
    const left = (
      await i.look('select f.user_id, count(t.*)::int as tokens from session_families f left join refresh_tokens t on t.family_id = f.id group by 1')
    ).map(({ user_id, tokens }) => [user_id, tokens]);
    expect(left).toContainEqual([current.user?.id, 1]);
    expect(left).toContainEqual([running.user?.id, 1]);
    expect(left.map(([id]) => id)).not.toContain(gone.user?.id);
  });
});
