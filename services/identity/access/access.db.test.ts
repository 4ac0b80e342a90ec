// The access check of each request, access tokens, and GetMe.
import { randomUUID } from 'node:crypto';
import { sql } from '@clinic/lib/db/db.ts';
import { asAdmin, asAnonymous, asOperator, asService, asUser } from '@clinic/lib/testing/callers.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { settings } from '../settings.ts';
import { type Identity, NOW, signingKey, startIdentity } from '../testing/identity.ts';
import { createAccessTokens } from './access-tokens.ts';

let i: Identity;
beforeAll(async () => {
  i = await startIdentity();
});
afterAll(() => i.stop());

const resolve = (userId: string, clinicId: string) => i.access.resolveAccess({ userId, clinicId }, asService('gateway'));

async function registered(plan = 'pro') {
  i.codes.plan = plan;
  const { user } = await i.register();
  return { userId: user?.id ?? '', clinicId: user?.clinicId ?? '' };
}

test('ResolveClinic returns the same state of a clinic as ResolveAccess, without a user', async () => {
  const { clinicId } = await registered();
  expect(await i.access.resolveClinic({ clinicId }, asService('messaging'))).toMatchObject({
    clinicId,
    isActive: true,
    plan: 'pro',
    timezone: 'America/El_Salvador',
    country: 'SV',
    doctorLimit: 8,
    features: expect.arrayContaining(['chat_bot']),
  });
  await expect(i.access.resolveClinic({ clinicId: randomUUID() }, asService('messaging'))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
});

test('ResolveAccessOfMany returns the state of each subject in order, without a state for deleted users', async () => {
  const [one, two] = [await registered(), await registered('basic')];
  const subjects = [two, { ...one, clinicId: two.clinicId }, one, two];
  const { answers } = await i.access.resolveAccessOfMany({ subjects }, asService('gateway'));
  expect(answers.map(({ state }) => state?.plan)).toEqual(['basic', undefined, 'pro', 'basic']);
  expect(answers[2]?.state).toEqual(await resolve(one.userId, one.clinicId));
});

describe('ResolveAccess', () => {
  test('distinguishes features that the clinic switched off from those outside its plan', async () => {
    const { userId, clinicId } = await registered('basic');
    await i.entitlements.updateFeatures({ features: { reminders: false, dental: false } }, asAdmin(clinicId));
    expect(await resolve(userId, clinicId)).toMatchObject({ features: ['chat_bot', 'calendar_feeds'], switchedOff: ['reminders', 'online_booking'] });
  });

  test('returns user, clinic, plan, features and limit', async () => {
    const { userId, clinicId } = await registered();
    expect(await resolve(userId, clinicId)).toMatchObject({
      userActive: true,
      appRole: 'admin',
      clinicActive: true,
      plan: 'pro',
      clinicType: 'dental',
      timezone: 'America/El_Salvador',
      country: 'SV',
      doctorLimit: 8,
    });
  });

  test.each([
    ['basic', 2, { dental: false, analytics: false, quick_switching: false, chat_bot: true }],
    ['pro', 8, { dental: true, analytics: true, quick_switching: false, chat_bot: true }],
    ['trial', 8, { dental: true, analytics: true, quick_switching: false, chat_bot: true }],
    ['clinica', undefined, { dental: true, analytics: true, quick_switching: true, chat_bot: true }],
    ['forever_free', undefined, { dental: true, analytics: true, quick_switching: true, chat_bot: true }],
  ])('%s', async (plan, doctorLimit, features) => {
    const { userId, clinicId } = await registered(plan);
    const state = await resolve(userId, clinicId);
    expect(state.doctorLimit).toBe(doctorLimit);
    expect(state.subscriptionExpiresAt === undefined).toBe(plan === 'forever_free');
    for (const [feature, allowed] of Object.entries(features)) expect([feature, state.features.includes(feature)]).toEqual([feature, allowed]);
  });

  test('returns each change in the next call', async () => {
    const { userId, clinicId } = await registered();
    await i.change(sql('update users set is_active = false, app_role = $2 where id = $1'), [userId, 'doctor']);
    await i.clinics.updateClinic({ clinicId, plan: 'basic', expiresInDays: 0, isActive: false }, asOperator());
    const state = await resolve(userId, clinicId);
    expect(state).toMatchObject({ userActive: false, appRole: 'doctor', clinicActive: false, plan: 'basic', doctorLimit: 2 });
    expect(state.subscriptionExpiresAt?.seconds).toBe(BigInt(NOW.getTime() / 1000));
  });

  test('a toggle switches off features of the plan and never adds a feature', async () => {
    const { userId, clinicId } = await registered();
    const toggle = sql('insert into feature_toggles (clinic_id, feature, enabled) values ($1, $2, $3)');
    await i.change(toggle, [clinicId, 'analytics', false]);
    await i.change(toggle, [clinicId, 'quick_switching', true]);
    await i.change(toggle, [clinicId, 'dte', true]);
    const { features } = await resolve(userId, clinicId);
    expect(features).not.toContain('analytics');
    expect(features).not.toContain('quick_switching');
    expect(features).toEqual(expect.arrayContaining(['dental', 'dte']));
  });

  test('does not find a user of another clinic, or an unknown one', async () => {
    const one = await registered();
    const other = await registered();
    await expect(resolve(one.userId, other.clinicId)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    await expect(resolve(randomUUID(), one.clinicId)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    await expect(resolve('x', one.clinicId)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path: 'userId' }] });
    await expect(resolve(one.userId, `x'; drop table users; --`)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path: 'clinicId' }] });
  });

  test('refuses callers that are not services', async () => {
    const { userId, clinicId } = await registered();
    for (const caller of [asAnonymous(), asUser(clinicId, { userId }), asOperator()]) {
      await expect(i.access.resolveAccess({ userId, clinicId }, caller)).rejects.toMatchObject({ reason: expect.stringMatching(/UNAUTHENTICATED|FORBIDDEN/) });
    }
  });
});

describe('access tokens', () => {
  test('can be verified with the published keys and contain the claims', async () => {
    const session = await i.register();
    const { jwks } = await i.access.listSigningKeys({}, asAnonymous());
    const { payload, protectedHeader } = await jwtVerify(session.accessToken, createLocalJWKSet(JSON.parse(jwks)), {
      issuer: 'clinic-identity',
      audience: 'clinic-api',
      algorithms: ['ES256'],
      currentDate: NOW,
    });
    const iat = NOW.getTime() / 1000;
    expect(payload).toMatchObject({ sub: session.user?.id, clinic_id: session.clinic?.id, app_role: 'admin', role: 'authenticated', iat, exp: iat + 28_800 });
    expect(payload.jti).toEqual(expect.any(String));
    expect(protectedHeader).toMatchObject({ alg: 'ES256', kid: 'k1' });
    expect(jwks).not.toContain('"d"');
  });

  test('after a rotation the new key signs and the old one is still published', async () => {
    const old = signingKey('old');
    const before = createAccessTokens(settings.JWT_PRIVATE_KEYS.parse(old));
    const after = createAccessTokens(settings.JWT_PRIVATE_KEYS.parse(`${signingKey('new')},${old}`));
    const user = { user_id: randomUUID(), clinic_id: randomUUID(), app_role: 'admin' };
    const keys = createLocalJWKSet(JSON.parse(after.jwks));
    for (const [tokens, kid] of [
      [before, 'old'],
      [after, 'new'],
    ] as const) {
      const token = await tokens.sign(user, NOW);
      expect(decodeProtectedHeader(token).kid).toBe(kid);
      await expect(jwtVerify(token, keys, { currentDate: NOW })).resolves.toMatchObject({ payload: { sub: user.user_id } });
    }
  });

  test.each(['', 'k1', 'k1:AAAA', `${signingKey('k1')},k2`, `${signingKey('k1')},${signingKey('k1')}`])('malformed keys are refused: %#', (text) => {
    expect(settings.JWT_PRIVATE_KEYS.safeParse(text).success).toBe(false);
  });
});

describe('GetMe', () => {
  test('returns the user, the clinic and what it may use', async () => {
    const { userId, clinicId } = await registered('basic');
    const me = await i.sessions.getMe({}, asUser(clinicId, { userId }));
    expect(me).toMatchObject({ user: { id: userId, clinicId }, clinic: { id: clinicId, subscriptionPlan: 'basic' } });
    expect(me.subscription).toMatchObject({ plan: 'basic', limits: { doctors: 2, users: 1 } });
    expect(me.subscription?.features).toMatchObject({
      chat_bot: true,
      reminders: true,
      calendar_feeds: true,
      dental: false,
      quick_switching: false,
      dte: false,
    });
  });

  test('returns no limits for a plan without limits', async () => {
    const { userId, clinicId } = await registered('clinica');
    const { subscription } = await i.sessions.getMe({}, asUser(clinicId, { userId }));
    expect(subscription?.limits).not.toHaveProperty('doctors', expect.anything());
    expect(Object.entries(subscription?.features ?? {}).filter(([, on]) => !on)).toEqual([['online_booking', false]]); // until the clinic switches it on
  });
});
