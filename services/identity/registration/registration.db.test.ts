// Registration: one code registers one clinic, an e-mail address has one account, and a failure uses no code.
import { randomUUID } from 'node:crypto';
import { asAnonymous } from '@clinic/lib/testing/callers.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type Identity, NOW, outcomes, startIdentity } from '../testing/identity.ts';

let i: Identity;
beforeAll(async () => {
  i = await startIdentity();
});
afterAll(() => i.stop());
afterEach(() => {
  Object.assign(i.codes, { id: undefined, plan: 'pro', failing: {}, reservedBy: [], redeemed: [], released: [] });
});

const count = async (table: string) => Number((await i.look(`select count(*) as n from ${table}`))[0].n);

describe('a registration', () => {
  test('creates a clinic, its admin, a session, an event and an audit entry', async () => {
    const session = await i.register({ clinicName: 'Clínica Ñandú & Cía.', email: ' Berta@Example.COM ' });
    const { id: clinicId } = session.clinic ?? {};
    expect(session).toMatchObject({
      tokenType: 'Bearer',
      expiresIn: 28_800,
      user: { email: 'berta@example.com', fullName: 'Ana Rivas', appRole: 'admin', clinicId },
      clinic: { name: 'Clínica Ñandú & Cía.', slug: 'clinica-nandu-cia', clinicType: 'dental', subscriptionPlan: 'pro' },
    });
    const [event] = await i.look('select subject, payload from outbox where clinic_id = $1', [clinicId]);
    expect(event.subject).toBe(`clinic.${clinicId}.identity.clinic-registered`);
    expect(event.payload).toMatchObject({ plan: 'pro', timezone: 'America/El_Salvador', registeredAt: '2026-06-01T14:00:00Z' });
    expect(JSON.stringify(event)).not.toMatch(/berta|Ana|Ñandú/i);
    expect(await i.look('select action, actor_kind, actor_id from audit_log where clinic_id = $1', [clinicId])).toEqual([
      { action: 'clinic.registered', actor_kind: 'user', actor_id: session.user?.id },
    ]);
    expect(i.codes.redeemed).toEqual([event.payload.inviteCodeId]);
    const [{ password_hash }] = await i.look('select password_hash from users where clinic_id = $1', [clinicId]);
    expect(password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  test('has an expiry, except for forever_free', async () => {
    expect((await i.register()).clinic?.subscriptionExpiresAt?.seconds).toBe(BigInt(NOW.getTime() / 1000 + 30 * 86_400));
    i.codes.plan = 'forever_free';
    expect((await i.register()).clinic?.subscriptionExpiresAt).toBeUndefined();
  });

  test('succeeds if the code cannot be redeemed at once: the event ClinicRegistered redeems it', async () => {
    i.codes.failing.redeem = 'UNAVAILABLE';
    expect((await i.register()).accessToken).not.toBe('');
  });
});

describe('concurrent registrations', () => {
  test('8 with one code: one clinic', async () => {
    i.codes.id = randomUUID();
    const before = await count('clinics');
    const { answers, reasons } = await outcomes(Array.from({ length: 8 }, () => i.register()));
    expect(answers).toHaveLength(1);
    expect(reasons).toEqual(Array(7).fill('INVALID_INVITE_CODE'));
    expect((await count('clinics')) - before).toBe(1);
  });

  test('8 with one e-mail address and 8 codes: one clinic, 7 codes released', async () => {
    const before = await count('clinics');
    const { answers, reasons } = await outcomes(Array.from({ length: 8 }, () => i.register({ email: 'same@example.com' })));
    expect(answers).toHaveLength(1);
    expect(reasons).toEqual(Array(7).fill('EMAIL_TAKEN'));
    expect((await count('clinics')) - before).toBe(1);
    expect(i.codes.released).toHaveLength(7);
    expect(i.codes.released).not.toContain(i.codes.redeemed[0]);
  });

  test('12 with one clinic name: 12 slugs', async () => {
    const { answers } = await outcomes(Array.from({ length: 12 }, () => i.register({ clinicName: 'Dental Uno' })));
    const slugs = answers.map(({ clinic }) => clinic?.slug);
    expect(new Set(slugs).size).toBe(12);
    const plain = slugs.filter((slug) => /^dental-uno(-\d)?$/.test(slug ?? '')).sort();
    expect(plain).toEqual(['dental-uno', 'dental-uno-2', 'dental-uno-3', 'dental-uno-4', 'dental-uno-5']);
  });
});

describe('a failed registration', () => {
  test('if platform is unavailable, nothing is written and the client may repeat the request', async () => {
    i.codes.failing.reserve = 'UNAVAILABLE';
    const before = await count('users');
    await expect(i.register()).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    expect(await count('users')).toBe(before);
  });

  test('whose reservation of the code was not answered can be repeated at once: it has the same reservation, another e-mail address has not', async () => {
    i.codes.failing.reserve = 'UNAVAILABLE';
    const form = { inviteCode: '7KQ2-M0XZ-94TB', email: 'again@example.com' };
    await expect(i.register(form)).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    i.codes.failing = {};
    await i.register({ ...form, email: 'AGAIN@example.com' });
    await i.register({ ...form, email: 'another@example.com' });
    const [first, second, third] = i.codes.reservedBy;
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  test('the reason of a failure is returned even if the code cannot be released', async () => {
    await i.register({ email: 'twice@example.com' });
    i.codes.failing.release = 'UNAVAILABLE';
    await expect(i.register({ email: 'TWICE@example.com' })).rejects.toMatchObject({ reason: 'EMAIL_TAKEN' });
  });

  test.each([
    ['inviteCode', { inviteCode: ' ' }],
    ['clinicName', { clinicName: '' }],
    ['clinicName', { clinicName: 'x'.repeat(201) }],
    ['clinicName', { clinicName: 'a\0b' }],
    ['clinicName', { clinicName: 'a\ud800b' }],
    ['clinicType', { clinicType: 'vet' }],
    ['adminName', { adminName: '' }],
    ['email', { email: 'ana' }],
    ['email', { email: 'ana@localhost' }],
    ['email', { email: `${'a'.repeat(250)}@example.com` }],
    ['password', { password: 'short' }],
    ['password', { password: 'x'.repeat(129) }],
    ['password', { password: 'baseball' }],
    ['password', { password: 'Password1' }],
    ['password', { password: 'eight\0chars' }],
    ['timezone', { timezone: 'Mars/Olympus' }],
    ['timezone', { timezone: '+02:00' }],
    ['timezone', { timezone: 'US/Pacific-New' }], // known to the runtime and not to PostgreSQL
    ['city', { city: 'x'.repeat(101) }],
    ['phone', { phone: 'no phone' }],
    ['phone', { phone: '+503 2222' }],
  ])('an invalid %s is refused by name: %j', async (path, changed) => {
    await expect(i.sessions.registerClinic({ ...i.form(), ...changed }, asAnonymous())).rejects.toMatchObject({
      reason: 'VALIDATION_ERROR',
      details: [{ path }],
    });
  });
});
