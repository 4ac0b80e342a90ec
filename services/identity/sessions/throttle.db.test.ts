// Wrong passwords: which clients they lock, and which can still sign in.
import { asAdmin, asAnonymous } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Identity, outcomes, PASSWORD, startIdentity } from '../testing/identity.ts';

let i: Identity;
beforeAll(async () => {
  i = await startIdentity();
});
afterAll(() => i.stop());

const MINUTE = 60_000;
const signIn = (email: string, ip: string, more: { password?: string; device?: string; rateLimited?: boolean } = {}) =>
  i.sessions.login({ email, password: PASSWORD, ...more }, asAnonymous({ ip }));
const guess = (email: string, ip: string, device = '') => signIn(email, ip, { password: 'wrong password', device });
const limited = (seconds?: number) => ({ reason: 'RATE_LIMITED', ...(seconds && { details: [{ path: 'retry_after', message: String(seconds) }] }) });
const mails = (kind: string, to: string) =>
  i.dependencies.calls.filter(({ rpc, request }) => rpc === 'messaging.sendMail' && request.kind === kind && request.to === to);

/** Ten wrong passwords from as many addresses. */
async function lock(email: string) {
  for (let n = 0; n < 10; n++) await expect(guess(email, `198.51.100.${n}`)).rejects.toMatchObject({ reason: 'INVALID_CREDENTIALS' });
}
const CHOSEN = 'otra taza de café';
/** With the link of the nth mail of the kind. */
async function choosePassword(to: string, kind: 'password_reset' | 'user_invited', nth: number, ip: string) {
  const { request } = await waitFor(() => mails(kind, to)[nth] ?? false);
  const [, token = ''] = (request.parameters as { link: string }).link.split('#token=');
  await i.recovery.resetPassword({ token, password: CHOSEN }, asAnonymous({ ip }));
}
const email = async () => (await i.register()).user?.email ?? '';

describe('wrong passwords from unknown addresses', () => {
  test('lock the account for unknown addresses, for 1, 5 and 15 minutes, and the user is notified once', async () => {
    const ana = await email();
    for (const minutes of [1, 5, 15]) {
      await lock(ana);
      await expect(signIn(ana, '203.0.113.1')).rejects.toMatchObject(limited(minutes * 60));
      i.clock.advance(minutes * MINUTE);
    }
    await waitFor(() => mails('account_locked', ana).length === 1);
    expect((await signIn(ana, '203.0.113.1')).user?.email).toBe(ana);
    await lock(ana); // the correct password reset the locks
    await expect(signIn(ana, '203.0.113.2')).rejects.toMatchObject(limited(60));
  });

  test('lock an address without an account too', async () => {
    await lock('nobody@example.com');
    await expect(guess('nobody@example.com', '203.0.113.1')).rejects.toMatchObject(limited(60));
  });

  test('40 at once are limited, and 40 correct ones at once are not', async () => {
    const ana = await email();
    const { reasons } = await outcomes(Array.from({ length: 40 }, (_, n) => guess(ana, `198.51.100.${n}`)));
    expect(reasons.filter((reason) => reason === 'INVALID_CREDENTIALS').length).toBeLessThanOrEqual(14);
    const other = await email();
    expect((await outcomes(Array.from({ length: 40 }, () => signIn(other, '203.0.113.5')))).reasons).toEqual([]);
  });

  test('never refuse the correct password from an address or a device that signed in before', async () => {
    const ana = await email();
    const { deviceToken } = await signIn(ana, '2001:db8:1:201::1');
    await lock(ana);
    await expect(signIn(ana, '203.0.113.1')).rejects.toMatchObject(limited());
    expect((await signIn(ana, '127.0.0.1')).user?.email).toBe(ana); // where the clinic was registered
    expect((await signIn(ana, '2001:db8:1:2ff::9')).user?.email).toBe(ana);
    expect((await signIn(ana, '203.0.113.1', { device: deviceToken })).user?.email).toBe(ana);
  });

  test('never refuse the new password from the address where the user last chose it by the link of a mail', async () => {
    const ana = await email();
    await lock(ana);
    const [before, mine] = ['203.0.113.6', '203.0.113.3'];
    for (const [nth, ip] of [before, mine].entries()) {
      await i.recovery.requestPasswordReset({ email: ana }, asAnonymous());
      await choosePassword(ana, 'password_reset', nth, ip);
    }
    for (const other of [before, '203.0.113.4']) await expect(signIn(ana, other, { password: CHOSEN })).rejects.toMatchObject(limited());
    expect((await signIn(ana, mine, { password: CHOSEN })).user?.email).toBe(ana);
  });
});

describe('a device', () => {
  test('may sign in when its address has used up the limit of the gateway, but has a limit of its own, and not for another account', async () => {
    const [ana, eva] = [await email(), await email()];
    const { deviceToken: device } = await signIn(ana, '203.0.113.7');
    const beyond = (who: string, given: { device?: string; password?: string } = {}) => signIn(who, '203.0.113.8', { device, rateLimited: true, ...given });
    expect((await beyond(ana)).deviceToken).toBe(device);
    await expect(beyond(eva)).rejects.toMatchObject(limited());
    for (const unknown of ['', 'x', 'x'.repeat(43)]) await expect(beyond(ana, { device: unknown })).rejects.toMatchObject(limited());
    for (let n = 0; n < 10; n++) await expect(beyond(ana, { password: 'wrong' })).rejects.toMatchObject({ reason: 'INVALID_CREDENTIALS' });
    await expect(beyond(ana)).rejects.toMatchObject(limited(60));
    i.clock.advance(MINUTE);
    expect((await beyond(ana)).user?.email).toBe(ana);
  });

  test('keeps a token that the clinic knows, and gets a new one for any other, which somebody else may have put into its cookie', async () => {
    const { clinic, user } = await i.register();
    const [ana, eva, other] = [user?.email ?? '', `eva-${user?.email}`, await email()];
    await i.users.createUser({ fullName: 'Eva', email: eva, password: PASSWORD }, asAdmin(clinic?.id ?? '', { userId: user?.id ?? '' }));
    const chosen = 'x'.repeat(43);
    const { deviceToken: device } = await signIn(ana, '203.0.113.7', { device: chosen });
    expect(device).not.toBe(chosen);
    for (const colleague of [ana, eva]) expect((await signIn(colleague, '203.0.113.7', { device })).deviceToken).toBe(device);
    expect((await signIn(other, '203.0.113.7', { device })).deviceToken).not.toBe(device);
  });

  test('that is new is reported to the user, unless the address or the device is known', async () => {
    const ana = await email();
    const { deviceToken: device } = await signIn(ana, '127.0.0.1');
    await signIn(ana, '203.0.113.9', { device });
    await i.sessions.login({ email: ana, password: PASSWORD, userAgent: 'curl/8' }, asAnonymous({ ip: '198.51.100.77' }));
    await waitFor(() => mails('new_device', ana).length > 0);
    expect(mails('new_device', ana).map(({ request }) => request.parameters)).toEqual([expect.objectContaining({ device: 'curl', ip: '198.51.100.77' })]);
  });

  test('that is new is reported also to a user of an early release, which stored no devices', async () => {
    const { user } = await i.register();
    const ana = user?.email ?? '';
    await i.look(`delete from identity.known_clients where user_id = $1 and client like 'device:%'`, [user?.id]);
    await signIn(ana, '198.51.100.78');
    await waitFor(() => mails('new_device', ana).length > 0);
  });

  test('that is the first one of an invited user is not reported, although the password was chosen elsewhere', async () => {
    const { clinic, user } = await i.register();
    const eva = `eva-${user?.email}`;
    await i.users.createUser({ fullName: 'Eva', email: eva }, asAdmin(clinic?.id ?? '', { userId: user?.id ?? '' }));
    await choosePassword(eva, 'user_invited', 0, '203.0.113.10');
    for (const ip of ['203.0.113.11', '203.0.113.12']) await signIn(eva, ip, { password: CHOSEN });
    await waitFor(() => mails('new_device', eva).some(({ request }) => (request.parameters as { ip: string }).ip === '203.0.113.12'));
    expect(mails('new_device', eva)).toHaveLength(1);
  });
});
