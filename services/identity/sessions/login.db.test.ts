// Sign-in: what a client without the password can learn, and the order of errors.
import { randomBytes } from 'node:crypto';
import { sql } from '@clinic/lib/db/db.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { asAnonymous } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { InviteCodeService } from '@clinic/proto/platform/v1/invite_codes_pb.js';
import { createClient } from '@connectrpc/connect';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as argon2 from '@node-rs/argon2';
import type { App } from '../app.ts';
import { createPasswords } from '../credentials/passwords.ts';
import { type Identity, outcomes, PASSWORD, startIdentity } from '../testing/identity.ts';
import { login } from './login.ts';

let i: Identity;
beforeAll(async () => {
  i = await startIdentity();
});
afterAll(() => i.stop());

const signIn = (email: string, password = PASSWORD) => i.sessions.login({ email, password }, asAnonymous());

test('accepts the e-mail address in upper or lower case', async () => {
  const registered = await i.register({ email: 'carla@example.com' });
  const session = await signIn(' Carla@EXAMPLE.com');
  expect(session.user).toEqual(registered.user);
  expect(session.clinic).toEqual(registered.clinic);
  expect(session.refreshToken).not.toBe(registered.refreshToken);
});

test('accepts the e-mail address in every Unicode normalisation form, also if an earlier release stored it decomposed', async () => {
  const forms = ['NFC', 'NFD'].map((form) => 'peña@example.com'.normalize(form));
  const [composed, decomposed = ''] = forms;
  const { user } = await i.register({ email: decomposed });
  expect(user?.email).toBe(composed);
  for (const stored of forms) {
    await i.look('update users set email = $2 where id = $1', [user?.id, stored]);
    for (const email of forms) {
      expect((await signIn(email)).user?.id).toBe(user?.id);
      await expect(i.register({ email })).rejects.toMatchObject({ reason: 'EMAIL_TAKEN' });
    }
    await i.recovery.requestPasswordReset({ email: 'peña@example.com' }, asAnonymous());
    await waitFor(() => i.dependencies.calls.some(({ request }) => request.kind === 'password_reset' && request.to === stored));
  }
});

test('accepts a password in every Unicode normalisation form', async () => {
  const { user } = await i.register({ password: 'contraseña é'.normalize('NFC') });
  expect((await signIn(user?.email ?? '', 'contraseña é'.normalize('NFD'))).accessToken).not.toBe('');
});

describe('a client without the password', () => {
  test('gets the same error for every wrong guess', async () => {
    await i.register({ email: 'dora@example.com' });
    const guesses = [
      signIn('dora@example.com', 'wrong password'),
      signIn('nobody@example.com'),
      signIn('not an address'),
      signIn('dora@example.com', 'x'.repeat(500)),
    ];
    expect((await outcomes(guesses)).reasons).toEqual(Array(4).fill('INVALID_CREDENTIALS'));
  });

  test('causes the same work with every wrong guess', async () => {
    await i.register({ email: 'elena@example.com' });
    let verified = 0;
    const counting = { hash: argon2.hash, verify: (...args: Parameters<typeof argon2.verify>) => argon2.verify(...args).finally(() => (verified += 1)) };
    const app = {
      ...({} as Pick<App, 'channels' | 'mail' | 'doctors' | 'files' | 'auditLogs'>), // not called by a sign-in
      db: i.service.db,
      clock: i.clock,
      log: createLog('test', 'silent'),
      constraints: {},
      keys: [{ id: 'k', key: randomBytes(32) }],
      passwords: await createPasswords(counting),
      requireUnbreached: async () => {},
      accessTokens: { sign: async () => 'token', verify: async () => undefined, jwks: '' },
      publicUrl: 'http://localhost',
      inviteCodes: createClient(InviteCodeService, i.codes.transport),
    };
    const call = { caller: { kind: 'anonymous' as const, id: '', requestId: 'r', ip: '127.0.0.1', role: '' }, idempotencyKey: undefined, deadline: Infinity };
    for (const email of ['elena@example.com', 'nobody@example.com', 'not an address']) {
      verified = 0;
      await expect(
        login(
          app,
          { $typeName: 'clinic.identity.v1.LoginRequest', email, password: 'wrong password', userAgent: '', device: '', rateLimited: false, refreshToken: '' },
          call,
        ),
      ).rejects.toMatchObject({
        reason: 'INVALID_CREDENTIALS',
      });
      expect({ email, verified }).toEqual({ email, verified: 1 });
    }
  });

  test('does not learn the state of an account', async () => {
    const { user } = await i.register();
    const email = user?.email ?? '';
    await i.change(sql('update users set is_active = false where id = $1'), [user?.id]);
    await i.change(sql('update clinics set is_active = false where clinic_id = $1'), [user?.clinicId]);
    await expect(signIn(email, 'wrong password')).rejects.toMatchObject({ reason: 'INVALID_CREDENTIALS' });
    await expect(signIn(email)).rejects.toMatchObject({ reason: 'USER_INACTIVE' });
    await i.change(sql('update users set is_active = true where id = $1'), [user?.id]);
    await expect(signIn(email)).rejects.toMatchObject({ reason: 'CLINIC_SUSPENDED' });
  });

  test.each([
    ['email', { email: '', password: PASSWORD }],
    ['email', { email: 'a\0@example.com', password: PASSWORD }],
    ['password', { email: 'a@example.com', password: '' }],
    ['password', { email: 'a@example.com', password: 'x'.repeat(10_000) }],
  ])('a missing or too long %s is refused', async (path, credentials) => {
    await expect(i.sessions.login(credentials, asAnonymous())).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path }] });
  });
});

test('users of a clinic whose subscription has expired sign in', async () => {
  const { user } = await i.register();
  await i.change(sql('update clinics set subscription_expires_at = $2 where clinic_id = $1'), [user?.clinicId, new Date(0)]);
  expect((await signIn(user?.email ?? '')).clinic?.subscriptionExpiresAt?.seconds).toBe(0n);
});
