// Password recovery: what a client without an account can learn, how a link works, and where its token is never stored.
import { asAdmin, asAnonymous, asUser } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Identity, outcomes, PASSWORD, startIdentity } from '../testing/identity.ts';

let i: Identity;
beforeAll(async () => {
  i = await startIdentity();
});
afterAll(() => i.stop());

const NEW = 'otra taza de café';
const MINUTE = 60_000;

const request = (email: string) => i.recovery.requestPasswordReset({ email }, asAnonymous());
const areProcessed = async () => (await i.look('select 1 from recovery_requests')).length === 0;
type Mail = { kind: string; to: string; parameters: { name: string; link: string }; reference: string };
const mails = () => i.dependencies.calls.filter(({ rpc }) => rpc === 'messaging.sendMail').map(({ request }) => request as unknown as Mail);

/** The mail of a recovery, after it was passed to messaging. */
const mailOf = (recoveryId: string) => waitFor(() => mails().find(({ reference }) => reference === recoveryId) ?? false);

/** Requests a reset and waits until it is processed. Returns the recoveries of the user, oldest first. */
async function recoveries(email: string, userId = ''): Promise<string[]> {
  await request(email);
  await waitFor(areProcessed);
  return (await i.look('select id from password_recoveries where user_id = $1 order by id', [userId])).map(({ id }) => id);
}

async function someone() {
  const { user, refreshToken } = await i.register();
  return { email: user?.email ?? '', id: user?.id ?? '', clinicId: user?.clinicId ?? '', refreshToken };
}

async function tokenFor(who: { email: string; id: string }): Promise<string> {
  const [id = ''] = (await recoveries(who.email, who.id)).slice(-1);
  return (await mailOf(id)).parameters.link.split('#token=')[1] ?? '';
}

const reset = (token: string, password = NEW) => i.recovery.resetPassword({ token, password }, asAnonymous());
const refused = { reason: 'INVALID_RESET_TOKEN' };

describe('a request', () => {
  test('has the same response and does the same work for every address', async () => {
    const known = await someone();
    const before = await i.look('select count(*)::int as n from recovery_requests');
    const answers = [await request(known.email), await request('nobody@example.com')];
    expect(answers[0]).toEqual(answers[1]);
    expect(before).toEqual([{ n: 0 }]);
    await waitFor(areProcessed);
    expect(await i.look('select user_id from password_recoveries')).toEqual([{ user_id: known.id }]);
  });

  test('never stores the address as plaintext', async () => {
    await request('nobody@example.com');
    for (const table of ['recovery_requests', 'outbox', 'audit_log', 'identity_jobs.job'])
      expect(JSON.stringify(await i.look(`select * from ${table}`))).not.toContain('nobody@example.com');
    await waitFor(areProcessed);
  });

  test('sends at most three mails an hour', async () => {
    const { email, id } = await someone();
    for (let n = 0; n < 4; n++) await request(email);
    expect(await recoveries(email, id)).toHaveLength(3);
    i.clock.advance(61 * MINUTE);
    expect(await recoveries(email, id)).toHaveLength(4);
  });

  test.each(['', 'x', 'a b@example.com'])('%j is refused as an address', async (email) => {
    await expect(request(email)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path: 'email' }] });
  });
});

describe('a link', () => {
  test('is mailed once, and its token is in no event, log, job or plaintext column', async () => {
    const who = await someone();
    const [id = ''] = await recoveries(who.email, who.id);
    const { kind, to, parameters } = await mailOf(id);
    expect({ kind, to, name: parameters.name }).toEqual({ kind: 'password_reset', to: who.email, name: 'Ana Rivas' });
    expect(parameters.link).toMatch(/^http:\/\/localhost:8080\/reset-password#token=[\w-]{43}$/);
    await waitFor(async () => (await i.look('select token_sealed from password_recoveries where id = $1', [id]))[0].token_sealed === null);
    const token = parameters.link.split('=')[1] ?? '';
    for (const table of ['password_recoveries', 'outbox', 'audit_log', 'identity_jobs.job'])
      expect(JSON.stringify(await i.look(`select * from ${table}`))).not.toContain(token);
    expect(mails().filter(({ reference }) => reference === id)).toHaveLength(1);
  });

  test('is mailed later if messaging is unavailable', async () => {
    const who = await someone();
    let tries = 0;
    i.dependencies.answers['messaging.sendMail'] = () => {
      if (++tries < 3) throw Object.assign(new Error('unavailable'), { code: 'ECONNREFUSED' });
      return {};
    };
    const [id = ''] = await recoveries(who.email, who.id);
    await waitFor(() => tries === 3);
    delete i.dependencies.answers['messaging.sendMail'];
    await reset((await mailOf(id)).parameters.link.split('=')[1] ?? '');
  });

  test('sets the password once, and ends all sessions and other links', async () => {
    const who = await someone();
    const [first, second] = [await tokenFor(who), await tokenFor(who)];
    await reset(second);
    for (const token of [first, second]) await expect(reset(token, PASSWORD)).rejects.toMatchObject(refused);
    await expect(i.sessions.refreshSession({ refreshToken: who.refreshToken }, asAnonymous())).rejects.toMatchObject({ reason: 'INVALID_REFRESH_TOKEN' });
    await expect(i.sessions.login({ email: who.email, password: PASSWORD }, asAnonymous())).rejects.toMatchObject({ reason: 'INVALID_CREDENTIALS' });
    expect((await i.sessions.login({ email: who.email, password: NEW }, asAnonymous())).user?.id).toBe(who.id);
    expect(await i.look(`select 1 from audit_log where action = 'user.password_reset' and actor_id = $1`, [who.id])).toHaveLength(1);
  });

  test('works once if it is used 10 times concurrently', async () => {
    const who = await someone();
    const token = await tokenFor(who);
    const { answers, reasons } = await i.race('users', who.clinicId, () => Array.from({ length: 10 }, (_, n) => reset(token, `${NEW} ${n}`)));
    expect([answers.length, reasons]).toEqual([1, Array(9).fill('INVALID_RESET_TOKEN')]);
  });

  test('is valid for 30 minutes', async () => {
    const who = await someone();
    const [id = ''] = await recoveries(who.email, who.id);
    const token = (await mailOf(id)).parameters.link.split('=')[1] ?? '';
    i.clock.advance(30 * MINUTE);
    await expect(reset(token)).rejects.toMatchObject(refused);
  });

  test('does not work for a deactivated user', async () => {
    const who = await someone();
    const token = await tokenFor(who);
    await i.look('update users set is_active = false where id = $1', [who.id]);
    await expect(reset(token)).rejects.toMatchObject(refused);
    expect(await recoveries(who.email, who.id)).toHaveLength(1);
  });

  test('remains valid after a refused password', async () => {
    const who = await someone();
    const token = await tokenFor(who);
    await expect(reset(token, 'password')).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path: 'password' }] });
    await reset(token);
  });

  test.each(['', 'x', 'a\0b', 'x'.repeat(100_000)])('an unknown token is refused: %#', async (token) => {
    await expect(reset(token)).rejects.toMatchObject(refused);
  });
});

describe('a change of the password with the current one', () => {
  const change = (who: { id: string; clinicId: string }, currentPassword: string, newPassword = NEW, sessionId?: string) =>
    i.users.changePassword({ currentPassword, newPassword }, asUser(who.clinicId, { userId: who.id, ...(sessionId && { sessionId }) }));
  const signIn = (email: string, password: string) => i.sessions.login({ email, password }, asAnonymous());
  const sessionIds = async (userId: string) =>
    (await i.look('select id from session_families where user_id = $1 and ended_at is null order by id', [userId])).map(({ id }) => id);

  test('ends the other sessions, removes the PIN and the links of mails, and is mailed', async () => {
    const who = await someone();
    const link = await tokenFor(who);
    await signIn(who.email, PASSWORD);
    const [, mine] = await sessionIds(who.id);
    await i.users.setPin({ pin: '246813', password: PASSWORD }, asUser(who.clinicId, { userId: who.id }));
    await change(who, PASSWORD, NEW, mine);
    expect(await sessionIds(who.id)).toEqual([mine]);
    await expect(signIn(who.email, PASSWORD)).rejects.toMatchObject({ reason: 'INVALID_CREDENTIALS' });
    await signIn(who.email, NEW);
    await expect(reset(link)).rejects.toMatchObject(refused);
    await waitFor(() => mails().some(({ kind, to }) => kind === 'password_changed' && to === who.email));
    expect(await i.look(`select pin_hash from users where id = $1`, [who.id])).toEqual([{ pin_hash: null }]);
    expect(await i.look(`select 1 from audit_log where action = 'user.password_changed' and actor_id = $1`, [who.id])).toHaveLength(1);
  });

  test('needs the current password, and wrong ones lock this session but no other and no sign-in', async () => {
    const who = await someone();
    const [thief, other] = ['0198a3f2-7c1e-7d4b-9a53-00000000000a', '0198a3f2-7c1e-7d4b-9a53-00000000000b'];
    const wrong = { reason: 'INVALID_CREDENTIALS' };
    for (let n = 0; n < 5; n++) {
      await expect(change(who, 'wrong password', NEW, thief)).rejects.toMatchObject(wrong);
      await expect(
        i.users.setPin({ pin: '2468', password: 'wrong password' }, asUser(who.clinicId, { userId: who.id, sessionId: thief })),
      ).rejects.toMatchObject(wrong);
    }
    await expect(change(who, PASSWORD, NEW, thief)).rejects.toMatchObject({ reason: 'RATE_LIMITED', details: [{ path: 'retry_after', message: '60' }] });
    await waitFor(() => mails().some(({ kind, to }) => kind === 'account_locked' && to === who.email));
    await signIn(who.email, PASSWORD);
    await outcomes(Array.from({ length: 10 }, () => signIn(`session ${other}`, 'wrong password'))); // an address that no account can have
    await change(who, PASSWORD, NEW, other);
  });

  test('refuses a new password that does not comply, naming the field', async () => {
    const who = await someone();
    for (const password of ['short', 'password', 'Clínica Sonrisa', who.email])
      await expect(change(who, PASSWORD, password)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path: 'newPassword' }] });
  });

  test('two at once: one succeeds', async () => {
    const who = await someone();
    const { answers, reasons } = await outcomes([change(who, PASSWORD, NEW), change(who, PASSWORD, 'una tercera taza')]);
    expect([answers.length, reasons]).toEqual([1, ['INVALID_CREDENTIALS']]);
  });

  test('waits for concurrent changes of credentials, as these for each other', async () => {
    const who = await someone();
    const setPin = (pin: string) => i.users.setPin({ pin, password: PASSWORD }, asUser(who.clinicId, { userId: who.id }));
    expect((await i.race('users', who.clinicId, () => ['246813', '975319', '864213'].map(setPin))).reasons).toEqual([]);
    const [first, second] = [await tokenFor(who), await tokenFor(who)];
    const links = await i.race('password_recoveries', who.clinicId, () => [reset(first), reset(second)]);
    expect([links.answers.length, links.reasons]).toEqual([1, ['INVALID_RESET_TOKEN']]);
    const third = await tokenFor(who);
    const isWaiting = async () => (await i.look(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)).length > 0;
    const both = await i.race<object>('users', who.clinicId, () => [change(who, NEW, PASSWORD), waitFor(isWaiting).then(() => reset(third))]);
    expect([both.answers.length, both.reasons]).toEqual([1, ['INVALID_RESET_TOKEN']]);
  });
});

describe('a user who is created without a password', () => {
  const invite = async () => {
    i.codes.plan = 'clinica';
    const { id, clinicId } = await someone();
    const email = `eva-${id}@example.com`;
    const { id: userId } = await i.users.createUser({ fullName: 'Eva Luz', email }, asAdmin(clinicId, { userId: id }));
    const mail = await waitFor(() => mails().find(({ kind, to }) => kind === 'user_invited' && to === email) ?? false);
    return { email, userId, token: mail.parameters.link.split('#token=')[1] ?? '', parameters: mail.parameters };
  };

  test('chooses one by a link, which is valid for 72 hours and once', async () => {
    const { email, token, parameters } = await invite();
    expect(parameters).toMatchObject({ name: 'Eva Luz', clinic: 'Clínica Sonrisa' });
    i.clock.advance(72 * 60 * MINUTE - 1);
    await expect(reset(token, 'clinica-sonrisa')).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path: 'password' }] });
    await reset(token);
    expect((await i.sessions.login({ email, password: NEW }, asAnonymous())).user?.email).toBe(email);
    await expect(reset(token, 'una tercera taza')).rejects.toMatchObject(refused);
  });

  test('asks for another link when it has expired', async () => {
    const { email, userId, token } = await invite();
    i.clock.advance(72 * 60 * MINUTE);
    await expect(reset(token)).rejects.toMatchObject(refused);
    await reset(await tokenFor({ email, id: userId }));
  });
});
