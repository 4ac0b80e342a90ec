// Wrong passwords: what locks, for whom, and what stays open; breached passwords; the queue of hashes.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { asAdmin, asAnonymous } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createBreachCheck } from '../credentials/breached-passwords.ts';
import { createHashQueue } from '../credentials/hash-queue.ts';
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
  i.dependencies.asked.filter(({ rpc, request }) => rpc === 'messaging.sendMail' && request.kind === kind && request.to === to);

/** Ten wrong passwords from as many addresses. */
async function lock(email: string) {
  for (let n = 0; n < 10; n++) await expect(guess(email, `198.51.100.${n}`)).rejects.toMatchObject({ reason: 'INVALID_CREDENTIALS' });
}
const email = async () => (await i.register()).user?.email ?? '';

describe('wrong passwords from unknown addresses', () => {
  test('lock the account for them, for 1, 5 and 15 minutes, and the user is notified once', async () => {
    const ana = await email();
    for (const minutes of [1, 5, 15]) {
      await lock(ana);
      await expect(signIn(ana, '203.0.113.1')).rejects.toMatchObject(limited(minutes * 60));
      i.clock.advance(minutes * MINUTE);
    }
    await waitFor(() => mails('account_locked', ana).length === 1);
    expect((await signIn(ana, '203.0.113.1')).user?.email).toBe(ana);
    await lock(ana); // the correct password forgot the locks
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
});

describe('a device', () => {
  test('goes on where its address has used up the limit, but not without end, and not for another account', async () => {
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

  test('that is new is reported to the user, a known one or address is not', async () => {
    const ana = await email();
    const { deviceToken: device } = await signIn(ana, '127.0.0.1');
    await signIn(ana, '203.0.113.9', { device });
    await i.sessions.login({ email: ana, password: PASSWORD, userAgent: 'curl/8' }, asAnonymous({ ip: '198.51.100.77' }));
    await waitFor(() => mails('new_device', ana).length > 0);
    expect(mails('new_device', ana).map(({ request }) => request.parameters)).toEqual([expect.objectContaining({ device: 'curl', ip: '198.51.100.77' })]);
  });
});

test('admins are notified of new accounts', async () => {
  i.codes.plan = 'clinica';
  const { user, clinic } = await i.register();
  const admin = asAdmin(clinic?.id ?? '', { userId: user?.id ?? '' });
  await i.users.createUser({ fullName: 'Carla Paz', email: 'carla.paz@example.com', password: PASSWORD }, admin);
  await waitFor(() => mails('user_created', user?.email ?? '').length === 1);
  expect(mails('user_created', user?.email ?? '')[0]?.request.parameters).toMatchObject({ name: 'Ana Rivas', user: 'Carla Paz' });
});

describe('the queue of hashes', () => {
  const turns = () => {
    const order: string[] = [];
    const gates: (() => void)[] = [];
    const queued = createHashQueue(1, 6);
    const add = (name: string, known: boolean, network: string, account = name) =>
      queued({ known, network, account }, () => {
        order.push(name);
        return new Promise<void>((resolve) => gates.push(resolve));
      });
    const finish = async () => {
      for (let done = 0; done < gates.length; done++) {
        gates[done]?.();
        await new Promise(setImmediate);
      }
      return order;
    };
    return { add, finish };
  };

  test('known clients go first, networks take turns, and so do the accounts of a network', async () => {
    const { add, finish } = turns();
    const all = [add('flood1', false, 'a', 'x'), add('flood2', false, 'a', 'x'), add('flood3', false, 'a', 'x'), add('eva', false, 'a'), add('ana', true, 'c')];
    all.push(add('luz', false, 'b'));
    expect(await finish()).toEqual(['flood1', 'ana', 'luz', 'eva', 'flood2', 'flood3']);
    await Promise.all(all);
  });

  // Each of 120 connections sends its next wrong password, for another account, when it is answered.
  test.each([
    ['one network', () => 'flood', 1],
    ['another network each time', (n: number) => `flood${n}`, 120],
  ])('a flood of 120 connections from %s: none is refused, and a sign-in from a new address waits for few turns', async (_from, networkOf, turns) => {
    const queued = createHashQueue(2, 256);
    const order: string[] = [];
    const gates: (() => void)[] = [];
    const hash = (account: string, network: string) =>
      queued({ known: false, network, account }, () => {
        order.push(account);
        return new Promise<void>((resolve) => gates.push(resolve));
      });
    let sent = 0;
    const flood = Array.from({ length: 120 }, async () => {
      while (sent < 1_000) await hash(`wrong${++sent}`, networkOf(sent));
    });
    const good: Promise<void>[] = [];
    const started: number[] = [];
    for (let done = 0; done < gates.length; done++) {
      if (done % 100 === 50) {
        started.push(order.length);
        good.push(hash(`good${good.length}`, `new${done}`));
      }
      gates[done]?.();
      await new Promise(setImmediate);
    }
    await Promise.all([...flood, ...good]);
    expect(good.length).toBeGreaterThan(9);
    for (const [n, before] of started.entries()) expect(order.indexOf(`good${n}`) - before).toBeLessThan(turns);
  });

  test('when it is full, the network with the most loses its last one', async () => {
    const { add, finish } = turns();
    const flood = Array.from({ length: 9 }, (_, n) => add(`flood${n}`, false, 'a'));
    const good = add('ana', false, 'b');
    const refused = outcomes(flood);
    expect(await finish()).toContain('ana');
    await good;
    expect((await refused).reasons).toEqual(['UNAVAILABLE', 'UNAVAILABLE', 'UNAVAILABLE']);
  });
});

describe('breached passwords', () => {
  const warnings: unknown[] = [];
  const log = { warn: (...given: unknown[]) => warnings.push(given) } as never;

  test('are refused when an API knows them; it gets only five digits of their hash', async () => {
    const asked: string[] = [];
    const api = createServer((request, response) => {
      asked.push(request.url ?? '');
      // SHA-1 of "password" is 5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8; a count of 0 is padding.
      response.end(request.url === '/range/5BAA6' ? '003D68EB55068C33ACE09247EE4C639306B:3\r\n1E4C9B93F3F0682250B6CF8331B7EE68FD8:9\r\n' : '0:0');
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => api.once('listening', resolve));
    const check = createBreachCheck(`http://127.0.0.1:${(api.address() as AddressInfo).port}`, log);
    await expect(check('password')).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path: 'password' }] });
    await check('una taza de café');
    expect(asked).toEqual([expect.stringMatching(/^\/range\/5BAA6$/), expect.stringMatching(/^\/range\/[0-9A-F]{5}$/)]);
    api.close();
  });

  test('are accepted while the API does not answer, which is logged', async () => {
    await createBreachCheck('http://127.0.0.1:1', log)('password');
    expect(warnings).toHaveLength(1);
  });

  test('are not looked for without an API', async () => {
    await createBreachCheck(undefined, log)('password');
  });
});
