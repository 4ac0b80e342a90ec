// Features and limits of a clinic.
import { randomUUID } from 'node:crypto';
import { asService } from '@clinic/lib/testing/callers.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Identity, startIdentity } from '../testing/identity.ts';

let i: Identity;
beforeAll(async () => {
  i = await startIdentity();
});
afterAll(() => i.stop());

describe('features', () => {
  test('that are switched off or on again apply to the next request', async () => {
    const { id, admin, reader } = await i.clinic('pro');
    const off = await i.entitlements.updateFeatures({ features: { analytics: false, dental: false } }, admin);
    expect([off.features.analytics, off.included.analytics, off.features.csv_export]).toEqual([false, true, true]);
    expect((await i.clinicUpdates(id)).at(-1).features).not.toContain('analytics');
    const on = await i.entitlements.updateFeatures({ features: { analytics: true } }, admin);
    expect(on.features).toMatchObject({ analytics: true, dental: false });
    expect(await i.entitlements.getFeatures({}, reader)).toEqual(on);
  });

  test('that the plan lacks are not switched off by sending them back, and a later plan includes them', async () => {
    const { id, admin } = await i.clinic('basic');
    const shown = await i.entitlements.getFeatures({}, admin);
    const changed = { features: { ...shown.features, chat_bot: false }, guards: { ...shown.guards, voids_need_admin: true } };
    expect(await i.entitlements.updateFeatures(changed, admin)).toMatchObject(changed);
    expect(await i.look('select feature, enabled from feature_toggles where clinic_id = $1 order by feature', [id])).toEqual([
      { feature: 'chat_bot', enabled: false },
      { feature: 'voids_by_staff', enabled: false },
    ]);
    await i.look("update clinics set subscription_plan = 'pro' where clinic_id = $1", [id]);
    const { features, included } = await i.entitlements.getFeatures({}, admin);
    expect(features).toEqual({ ...included, chat_bot: false, online_booking: false });
  });

  test('must be named in a change', async () => {
    const { admin } = await i.clinic('pro');
    for (const empty of [{ features: {} }, { guards: {} }])
      await expect(i.entitlements.updateFeatures(empty, admin)).rejects.toMatchObject({
        reason: 'VALIDATION_ERROR',
        details: [{ path: 'body', message: expect.stringMatching(/analytics.* in features.*voids_need_admin.* in guards/) }],
      });
  });

  test('outside the plan cannot be switched on, and a request that tries changes nothing', async () => {
    const { id, admin } = await i.clinic('basic');
    await expect(i.entitlements.updateFeatures({ features: { reminders: false, dental: true } }, admin)).rejects.toMatchObject({
      reason: 'PLAN_UPGRADE_REQUIRED',
    });
    expect((await i.entitlements.getFeatures({}, admin)).features).toMatchObject({ reminders: true, dental: false });
    expect(await i.clinicUpdates(id)).toEqual([]);
    expect((await i.entitlements.updateFeatures({ features: { dental: false } }, admin)).features.dental).toBe(false);
  });

  test('dental is always off in a clinic that is not dental, and cannot be switched on', async () => {
    const { id, admin, reader } = await i.clinic('pro');
    await i.look("update clinics set clinic_type = 'medical' where clinic_id = $1", [id]);
    await expect(i.entitlements.updateFeatures({ features: { dental: true } }, admin)).rejects.toMatchObject({ reason: 'DENTAL_CLINIC_REQUIRED' });
    const { features, included } = await i.entitlements.updateFeatures({ features: { dental: false } }, admin);
    expect([features.dental, included.dental, features.analytics]).toEqual([false, false, true]);
    expect((await i.entitlements.getEntitlements({}, reader)).features.dental).toBe(false);
  });

  test('with an unknown name are refused', async () => {
    const { admin } = await i.clinic();
    await expect(i.entitlements.updateFeatures({ features: { teleport: true } }, admin)).rejects.toMatchObject({
      reason: 'VALIDATION_ERROR',
      details: [{ path: 'features' }],
    });
  });
});

describe('guards', () => {
  test('are off until an admin switches them on, and shown with the entitlements', async () => {
    const { id, admin, reader } = await i.clinic('basic');
    const { guards, features } = await i.entitlements.getFeatures({}, reader);
    expect(guards).toEqual({
      voids_need_admin: false,
      exports_need_admin: false,
      staff_creation_needs_admin: false,
      revenue_hidden_from_receptionists: false,
    });
    const on = await i.entitlements.updateFeatures({ guards: { voids_need_admin: true, exports_need_admin: true } }, admin);
    expect(on).toMatchObject({ features, guards: { ...guards, voids_need_admin: true, exports_need_admin: true } });
    expect((await i.entitlements.getEntitlements({}, reader)).guards).toEqual(on.guards);
    expect(await i.access.resolveClinic({ clinicId: id }, asService('messaging'))).toMatchObject({ guards: ['voids_need_admin', 'exports_need_admin'] });
    const off = await i.entitlements.updateFeatures({ guards: { voids_need_admin: false } }, admin);
    expect(off.guards).toEqual({ ...guards, exports_need_admin: true });
    await expect(i.entitlements.updateFeatures({ guards: { all: true } }, admin)).rejects.toMatchObject({ details: [{ path: 'guards' }] });
  });
});

describe('entitlements', () => {
  test('contain plan, limits, usage and the days left', async () => {
    const { reader, admin } = await i.clinic('pro');
    i.dependencies.answers['scheduling.listDoctors'] = () => ({ total: 3 });
    i.dependencies.answers['scheduling.getStorageUsage'] = () => ({ bytes: 5_000n });
    await i.users.createUser({ fullName: 'Carla', email: `${randomUUID()}@example.com`, password: 'una taza de café' }, admin);
    expect(await i.entitlements.getEntitlements({}, reader)).toMatchObject({
      plan: 'pro',
      daysLeft: 30,
      limits: { doctors: 8, users: 1, storageBytes: 10_000_000_000n },
      usage: { doctors: 3, users: 1, storageBytes: 5_000n },
      features: { analytics: true, quick_switching: false },
    });
  });

  test('of forever_free have no expiry and no limits', async () => {
    const { reader } = await i.clinic('forever_free');
    const { daysLeft, expiresAt, limits } = await i.entitlements.getEntitlements({}, reader);
    expect([daysLeft, expiresAt, limits?.doctors, limits?.users]).toEqual([undefined, undefined, undefined, undefined]);
  });
});
