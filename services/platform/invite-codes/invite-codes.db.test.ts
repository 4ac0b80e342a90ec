// Invite codes: creation, reservation, redemption and revocation.
import { randomUUID } from 'node:crypto';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { asAdmin, asAnonymous, asOperator, asService } from '@clinic/lib/testing/callers.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { NOW, outcomes, type Platform, startPlatform } from '../testing/platform.ts';

let p: Platform;
beforeAll(async () => {
  p = await startPlatform();
});
afterAll(() => p.stop());
beforeEach(() => p.clock.set(NOW));

const DAY_MS = 24 * 3_600_000;
const later = (days: number) => new Date(NOW.getTime() + days * DAY_MS);
const invalid = { reason: 'INVALID_INVITE_CODE' };

describe('a new code', () => {
  test('is for basic and 30 days by default', async () => {
    const made = await p.createCode();
    expect(made.code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}$/);
    expect(made).toMatchObject({ plan: 'basic', isUsed: false, source: 'manual' });
    expect(made.expiresAt && timestampDate(made.expiresAt)).toEqual(later(30));
    expect(await p.find(made.id)).toEqual(made);
  });

  test('for forever_free never expires', async () => {
    const made = await p.createCode({ plan: 'forever_free', expiresInDays: 5 });
    expect(made.expiresAt).toBeUndefined();
    p.clock.advance(4_000 * DAY_MS);
    expect((await p.reserve(made.code)).subscriptionExpiresAt).toBeUndefined();
  });

  test('is created once for an Idempotency-Key, with the name of the operator in the audit log', async () => {
    const [first, again] = [await p.codes.createInviteCode({}, asOperator('maria', 'k')), await p.codes.createInviteCode({}, asOperator('maria', 'k'))];
    expect(again.code).toBe(first.code);
    expect(await p.look('select actor_kind, actor_id, action from audit_log where entity_id = $1', [first.id])).toEqual([
      { actor_kind: 'operator', actor_id: 'maria', action: 'invite_code.created' },
    ]);
  });

  test('is the first in the list', async () => {
    const older = await p.createCode();
    p.clock.advance(1);
    const newer = await p.createCode();
    const { inviteCodes } = await p.codes.listInviteCodes({}, asOperator());
    expect(inviteCodes.slice(0, 2).map(({ id }) => id)).toEqual([newer.id, older.id]);
  });

  test.each([
    ['plan', { plan: 'gold' }],
    ['plan', { plan: '' }],
    ['expiresInDays', { expiresInDays: -1 }],
    ['expiresInDays', { expiresInDays: 3651 }],
    ['email', { email: 'ana' }],
    ['email', { email: '' }],
    ['notes', { notes: 'a\0b' }],
    ['notes', { notes: 'x'.repeat(2001) }],
  ])('an invalid %s is refused by name: %j', async (path, request) => {
    await expect(p.createCode(request)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path }] });
  });
});

describe('reserving', () => {
  test('8 concurrent requests: one succeeds', async () => {
    const { code } = await p.createCode();
    expect(await outcomes(Array.from({ length: 8 }, () => p.reserve(code)))).toEqual({ answered: 1, reasons: Array(7).fill('INVALID_INVITE_CODE') });
  });

  test('can be repeated by the same registration, and after a minute by another one', async () => {
    const { code } = await p.createCode();
    const clinicId = randomUUID();
    await p.reserve(code, clinicId);
    await p.reserve(code, clinicId);
    p.clock.advance(59_999);
    await expect(p.reserve(code)).rejects.toMatchObject(invalid);
    p.clock.advance(1);
    await p.reserve(code);
    await expect(p.reserve(code, clinicId)).rejects.toMatchObject(invalid);
  });

  test('accepts other spellings of a code', async () => {
    const { code } = await p.createCode();
    await p.reserve(` ${code.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')} `);
  });

  test('is limited to the e-mail address of the code, in upper or lower case', async () => {
    const { code } = await p.createCode({ email: 'Berta@Example.com' });
    await expect(p.reserve(code)).rejects.toMatchObject(invalid);
    await p.reserve(code, randomUUID(), 'BERTA@example.com');
  });

  test('accepts a decomposed e-mail address that an earlier release stored', async () => {
    const { code } = await p.createCode({ email: 'peña@example.com' });
    await p.look('update platform.invite_codes set email = normalize(email, nfd) where code = $1', [code]);
    await p.reserve(code, randomUUID(), 'peña@example.com');
  });

  test('is rejected after the expiry; a code for 0 days expires at once', async () => {
    const now = await p.createCode({ expiresInDays: 0 });
    await expect(p.reserve(now.code)).rejects.toMatchObject(invalid);
    const day = await p.createCode({ expiresInDays: 1 });
    p.clock.set(later(1));
    await expect(p.reserve(day.code)).rejects.toMatchObject(invalid);
  });

  test.each(['unknown', 'AAAA-AAAA-AAAA', 'x'.repeat(100), `'; drop`])('an unknown code is refused: %s', async (code) => {
    await expect(p.reserve(code)).rejects.toMatchObject(invalid);
  });

  test('a trial ends with its code, a paid plan after the days of the code', async () => {
    const trial = await p.createCode({ plan: 'trial', expiresInDays: 14 });
    const paid = await p.createCode({ plan: 'pro', expiresInDays: 14 });
    p.clock.set(later(10));
    const ends = await Promise.all([trial, paid].map(async ({ code }) => (await p.reserve(code)).subscriptionExpiresAt));
    expect(ends.map((end) => end && timestampDate(end))).toEqual([later(14), later(24)]);
  });
});

describe('redeeming', () => {
  test('marks the code as used by one clinic; repeating it changes nothing', async () => {
    const { id, code } = await p.createCode();
    const clinicId = randomUUID();
    await p.reserve(code, clinicId);
    await p.redeem(id, clinicId);
    const used = await p.find(id);
    expect(used).toMatchObject({ isUsed: true, usedByClinicId: clinicId });
    p.clock.advance(1_000);
    await p.redeem(id, clinicId);
    expect(await p.find(id)).toEqual(used);
    await expect(p.redeem(id, randomUUID())).rejects.toMatchObject({ reason: 'INVITE_CODE_USED' });
    await expect(p.reserve(code, clinicId)).rejects.toMatchObject(invalid);
  });

  test('by 8 clinics concurrently: one succeeds', async () => {
    const { id } = await p.createCode();
    expect(await outcomes(Array.from({ length: 8 }, () => p.redeem(id, randomUUID())))).toEqual({ answered: 1, reasons: Array(7).fill('INVITE_CODE_USED') });
  });

  test('an unknown code is not found', async () => {
    await expect(p.redeem(randomUUID(), randomUUID())).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    await expect(p.redeem('x', randomUUID())).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path: 'id' }] });
  });
});

describe('releasing', () => {
  test('ends the reservation, only for the clinic that made it', async () => {
    const { id, code } = await p.createCode();
    const clinicId = randomUUID();
    await p.reserve(code, clinicId);
    await p.release(id, randomUUID());
    await expect(p.reserve(code)).rejects.toMatchObject(invalid);
    await p.release(id, clinicId);
    await p.release(id, clinicId);
    await p.reserve(code);
  });

  test('does not change a used code', async () => {
    const { id, code } = await p.createCode();
    const clinicId = randomUUID();
    await p.reserve(code, clinicId);
    await p.redeem(id, clinicId);
    await p.release(id, clinicId);
    await expect(p.reserve(code)).rejects.toMatchObject(invalid);
  });
});

describe('revoking', () => {
  test('makes the code invalid; repeating it changes nothing', async () => {
    const { id, code } = await p.createCode();
    expect((await p.revoke(id)).message).toBe('Invite code revoked');
    p.clock.advance(1_000);
    await p.revoke(id);
    expect(await p.look(`select from audit_log where entity_id = $1 and action = 'invite_code.revoked'`, [id])).toHaveLength(1);
    const revokedAt = (await p.find(id))?.revokedAt;
    expect(revokedAt && timestampDate(revokedAt)).toEqual(NOW);
    await expect(p.reserve(code)).rejects.toMatchObject(invalid);
  });

  test('is refused if the code is used or reserved', async () => {
    const { id, code } = await p.createCode();
    const clinicId = randomUUID();
    await p.reserve(code, clinicId);
    await expect(p.revoke(id)).rejects.toMatchObject({ reason: 'INVITE_CODE_USED', message: expect.stringContaining('reserved') });
    await p.redeem(id, clinicId);
    await expect(p.revoke(id)).rejects.toMatchObject({ reason: 'INVITE_CODE_USED' });
  });

  test('and reserving are possible after the clock was set back during a reservation', async () => {
    const [one, other] = [await p.createCode(), await p.createCode()];
    for (const { code } of [one, other]) await p.reserve(code, randomUUID());
    p.clock.advance(-3_600_000);
    await p.reserve(one.code, randomUUID());
    await p.revoke(other.id);
    p.clock.advance(3_600_000);
  });

  test.each([randomUUID(), 'x', ''])('an unknown code is not found: %j', async (id) => {
    await expect(p.revoke(id)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });
});

test('operators may create, list and revoke; services may reserve, redeem and release; others may not', async () => {
  const { id, code } = await p.createCode();
  const clinicId = randomUUID();
  const [operator, service, admin, anonymous] = [asOperator(), asService('identity'), asAdmin(clinicId), asAnonymous()];
  const refused = await outcomes(
    [service, admin, anonymous].flatMap((caller): Promise<unknown>[] => [
      p.codes.createInviteCode({}, caller),
      p.codes.listInviteCodes({}, caller),
      p.codes.revokeInviteCode({ id }, caller),
    ]),
  );
  expect(refused.answered).toBe(0);
  const refusedReservations = await outcomes(
    [operator, admin, anonymous].flatMap((caller): Promise<unknown>[] => [
      p.codes.reserveInviteCode({ code, clinicId, email: 'a@example.com' }, caller),
      p.codes.redeemInviteCode({ id, clinicId }, caller),
      p.codes.releaseInviteCode({ id, clinicId }, caller),
    ]),
  );
  expect(refusedReservations.answered).toBe(0);
});
