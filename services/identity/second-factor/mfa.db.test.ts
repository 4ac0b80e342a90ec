// The second factor: setting it up, signing in and switching with it, and losing it.
import { sql } from '@clinic/lib/db/db.ts';
import { asAdmin, asAnonymous, asService } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import { Secret, TOTP } from 'otpauth';
import { type Identity, outcomes, PASSWORD, startIdentity } from '../testing/identity.ts';
import { removeFactor } from './set-up-mfa.ts';

let i: Identity;
beforeAll(async () => {
  i = await startIdentity();
});
afterAll(() => i.stop());

const MINUTE = 60_000;
const signIn = (email: string, password = PASSWORD) => i.sessions.login({ email, password }, asAnonymous());
const mails = (kind: string, to: string) =>
  i.dependencies.calls.filter(({ rpc, request }) => rpc === 'messaging.sendMail' && request.kind === kind && request.to === to);

/** The code of the app now, or some steps later. */
const codeOf = (secret: string, steps = 0) => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: i.clock.now().getTime() + steps * 30_000 });
const wrongFor = (secret: string) => {
  const near = [-1, 0, 1].map((steps) => codeOf(secret, steps));
  return ['000000', '111111', '222222', '333333'].find((code) => !near.includes(code)) ?? '';
};

async function admin() {
  i.codes.plan = 'clinica';
  const { clinic, user, accessToken } = await i.register();
  const [id, userId, email] = [clinic?.id ?? '', user?.id ?? '', user?.email ?? ''];
  return { id, userId, email, me: asAdmin(id, { userId, sessionId: String(decodeJwt(accessToken).sid) }) };
}

/** An admin whose second factor is on; the next code is that of the next step. */
async function enrolled() {
  const made = await admin();
  const { secret, otpauthUrl, qrSvg } = await i.users.beginMfa({}, made.me);
  const { recoveryCodes } = await i.users.confirmMfa({ code: codeOf(secret) }, made.me);
  i.clock.advance(30_000);
  return { ...made, secret, otpauthUrl, qrSvg, recoveryCodes };
}

/** The token of the error MFA_REQUIRED. */
async function tokenOf(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toMatchObject({ reason: 'MFA_REQUIRED', details: [{ path: 'mfa_token', message: expect.any(String) }] });
  return error.details[0].message;
}
const complete = (mfaToken: string, code: string, more = {}) => i.sessions.completeMfa({ mfaToken, code, ...more }, asAnonymous());

describe('setting it up', () => {
  test('shows a secret, its URL and its QR code; a first code turns it on and shows ten recovery codes', async () => {
    const { secret, otpauthUrl, qrSvg, recoveryCodes, email, me } = await enrolled();
    const url = new URL(otpauthUrl);
    expect([url.protocol, url.host, decodeURIComponent(url.pathname)]).toEqual(['otpauth:', 'totp', `/Clínica Sonrisa:${email}`]);
    expect(url.searchParams.get('secret')).toBe(secret);
    expect(qrSvg).toMatch(/^<svg/);
    expect(new Set(recoveryCodes).size).toBe(10);
    for (const code of recoveryCodes) expect(code).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{8}){3}$/);
    expect((await i.users.listUsers({}, me)).users[0]?.hasMfa).toBe(true);
    await waitFor(() => mails('mfa_enabled', email).length === 1);
    await expect(i.users.beginMfa({}, me)).rejects.toMatchObject({ reason: 'CONFLICT' });
  });

  test('until it is confirmed, sign-ins do not require it, and the setup can begin again', async () => {
    const { me, email } = await admin();
    await expect(i.users.confirmMfa({ code: '123456' }, me)).rejects.toMatchObject({ reason: 'CONFLICT' });
    const first = await i.users.beginMfa({}, me);
    const second = await i.users.beginMfa({}, me);
    expect((await signIn(email)).accessToken).not.toBe('');
    await expect(i.users.confirmMfa({ code: codeOf(first.secret) }, me)).rejects.toMatchObject({ reason: 'INVALID_OTP' });
    expect((await i.users.confirmMfa({ code: codeOf(second.secret) }, me)).recoveryCodes).toHaveLength(10);
  });

  test('requires the password if the sign-in is 15 minutes old', async () => {
    const { me } = await admin();
    i.clock.advance(15 * MINUTE);
    await expect(i.users.beginMfa({}, me)).rejects.toMatchObject({ reason: 'SIGN_IN_REQUIRED' });
    await expect(i.users.beginMfa({ password: 'wrong password' }, me)).rejects.toMatchObject({ reason: 'INVALID_CREDENTIALS' });
    expect((await i.users.beginMfa({ password: PASSWORD }, me)).secret).not.toBe('');
  });

  test('neither secret nor recovery codes are stored as plaintext', async () => {
    const { secret, recoveryCodes, userId } = await enrolled();
    const stored = JSON.stringify([
      await i.look('select encode(secret_sealed, $2) from second_factors where user_id = $1', [userId, 'escape']),
      await i.look('select encode(code_hash, $2) from recovery_codes where user_id = $1', [userId, 'escape']),
    ]);
    for (const plain of [secret, ...recoveryCodes]) expect(stored).not.toContain(plain.replaceAll('-', ''));
  });
});

describe('signing in', () => {
  test('requires a code after the correct password; each code is valid once', async () => {
    const { email, secret } = await enrolled();
    await expect(signIn(email, 'wrong password')).rejects.toMatchObject({ reason: 'INVALID_CREDENTIALS' });
    const token = await tokenOf(signIn(email));
    const session = await complete(token, ` ${codeOf(secret).replace(/^.../, '$& ')}`);
    expect(session.user?.email).toBe(email);
    expect((await i.sessions.refreshSession({ refreshToken: session.refreshToken }, asAnonymous())).accessToken).not.toBe('');
    await expect(complete(token, codeOf(secret))).rejects.toMatchObject({ reason: 'INVALID_OTP' });
    expect((await complete(await tokenOf(signIn(email)), codeOf(secret, 1))).user?.email).toBe(email); // a clock that is fast
  });

  test('a token begins one session, whatever codes come with it', async () => {
    const { email, secret, recoveryCodes } = await enrolled();
    const token = await tokenOf(signIn(email));
    const { answers } = await outcomes(recoveryCodes.map((code) => complete(token, code)));
    expect(answers).toHaveLength(1);
    await expect(complete(token, codeOf(secret))).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
    expect((await complete(await tokenOf(signIn(email)), codeOf(secret))).user?.email).toBe(email); // the refused request did not use up the code
  });

  test('20 at once with one code: one succeeds', async () => {
    const { email, secret } = await enrolled();
    const token = await tokenOf(signIn(email));
    const { answers } = await outcomes(Array.from({ length: 20 }, () => complete(token, codeOf(secret))));
    expect(answers).toHaveLength(1);
  });

  test('a recovery code works once', async () => {
    const { email, recoveryCodes } = await enrolled();
    const token = await tokenOf(signIn(email));
    const [code = ''] = recoveryCodes;
    expect((await complete(token, code.toUpperCase())).user?.email).toBe(email);
    await expect(complete(token, code)).rejects.toMatchObject({ reason: 'INVALID_OTP' });
  });

  test('five wrong codes cause a lock, during which the right one is refused too, and the user is notified', async () => {
    const { email, secret } = await enrolled();
    const token = await tokenOf(signIn(email));
    for (let n = 0; n < 5; n++) await expect(complete(token, wrongFor(secret))).rejects.toMatchObject({ reason: 'INVALID_OTP' });
    await expect(complete(token, codeOf(secret))).rejects.toMatchObject({ reason: 'RATE_LIMITED', details: [{ path: 'retry_after', message: '60' }] });
    await waitFor(() => mails('code_locked', email).length === 1);
    i.clock.advance(MINUTE);
    expect((await complete(token, codeOf(secret))).user?.email).toBe(email);
  });

  test('the token is valid for five minutes, cannot be forged, and becomes invalid with a new password', async () => {
    const { email, secret, userId } = await enrolled();
    const token = await tokenOf(signIn(email));
    for (const forged of ['', 'x', `${token}AAAA`, token.slice(4)])
      await expect(complete(forged, codeOf(secret))).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
    i.clock.advance(5 * MINUTE);
    await expect(complete(token, codeOf(secret))).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
    const next = await tokenOf(signIn(email));
    await i.change(sql('update users set password_hash = $2 where id = $1'), [userId, 'another']);
    await expect(complete(next, codeOf(secret))).rejects.toMatchObject({ reason: 'INVALID_CREDENTIALS' });
  });

  test('when the address has used up the limit of the gateway, only a known device may continue', async () => {
    const { email, secret } = await enrolled();
    const first = await complete(await tokenOf(signIn(email)), codeOf(secret));
    i.clock.advance(MINUTE);
    await expect(complete(await tokenOf(signIn(email)), codeOf(secret), { rateLimited: true })).rejects.toMatchObject({ reason: 'RATE_LIMITED' });
    const known = i.sessions.login({ email, password: PASSWORD, device: first.deviceToken, rateLimited: true }, asAnonymous());
    expect((await complete(await tokenOf(known), codeOf(secret), { rateLimited: true })).user?.email).toBe(email);
  });
});

test('switching by PIN requires the code too, and the session ends after 12 hours', async () => {
  const { me, userId, email, secret } = await enrolled();
  await i.users.setPin({ pin: '246813', password: PASSWORD }, me);
  const session = await complete(await tokenOf(i.sessions.switchUser({ userId, pin: '246813' }, me)), codeOf(secret));
  expect([session.user?.email, Number(session.refreshExpiresAt?.seconds) * 1000]).toEqual([email, i.clock.now().getTime() + 12 * 60 * MINUTE]);
});

describe('removing it', () => {
  test('requires the password, and the user is notified by mail', async () => {
    const { me, email } = await enrolled();
    await expect(i.users.removeMfa({ password: 'wrong password' }, me)).rejects.toMatchObject({ reason: 'INVALID_CREDENTIALS' });
    await i.users.removeMfa({ password: PASSWORD }, me);
    expect((await signIn(email)).user?.email).toBe(email);
    await waitFor(() => mails('mfa_removed', email).length === 1);
    await i.users.beginMfa({}, me);
  });

  test('an operator can do it', async () => {
    const { id, userId, email } = await enrolled();
    const caller = { kind: 'operator' as const, id: 'eva', requestId: 'r', ip: '', role: '' };
    const remove = () =>
      removeFactor({ db: i.service.db, clock: i.clock }, id, userId, 'user.mfa_reset', { caller, idempotencyKey: undefined, deadline: Infinity });
    expect([await remove(), await remove()]).toEqual([true, false]);
    expect((await signIn(email)).user?.email).toBe(email);
    expect(await i.look("select actor_id from audit_log where action = 'user.mfa_reset' and entity_id = $1", [userId])).toEqual([{ actor_id: 'eva' }]);
  });
});

test('a clinic may require it of its admins', async () => {
  const { id, userId, me } = await admin();
  const isMissing = async () => (await i.access.resolveAccess({ userId, clinicId: id }, asService('gateway'))).mfaMissing;
  expect(await isMissing()).toBe(false);
  expect(await i.settings.updateSettings({ requireMfaForAdmins: true }, me)).toMatchObject({ requireMfaForAdmins: true });
  expect(await isMissing()).toBe(true);
  const { secret } = await i.users.beginMfa({}, me);
  expect(await isMissing()).toBe(true);
  await i.users.confirmMfa({ code: codeOf(secret) }, me);
  expect(await isMissing()).toBe(false);
  await i.users.removeMfa({ password: PASSWORD }, me);
  expect(await isMissing()).toBe(true);
  await i.settings.updateSettings({ requireMfaForAdmins: false }, me);
  expect(await isMissing()).toBe(false);
});
