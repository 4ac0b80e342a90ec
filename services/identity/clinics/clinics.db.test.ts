// Clinics for operators, the list and their changes, and for platform.
import { randomUUID } from 'node:crypto';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { sql } from '@clinic/lib/db/db.ts';
import { asAdmin, asAnonymous, asOperator, asService } from '@clinic/lib/testing/callers.ts';
import { StateService } from '@clinic/proto/identity/v1/states_pb.js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Identity, NOW, outcomes, startIdentity } from '../testing/identity.ts';

let i: Identity;
beforeAll(async () => {
  i = await startIdentity();
});
afterAll(() => i.stop());

const DAY_MS = 24 * 3_600_000;

async function registered(plan = 'pro') {
  i.codes.plan = plan;
  return (await i.register()).clinic?.id ?? '';
}

test('the list is newest first and counts active users', async () => {
  const older = await registered();
  i.clock.advance(1);
  const newer = await registered();
  const addUser = sql(`insert into users (clinic_id, id, email, full_name, app_role, password_hash, is_active, created_at, updated_at)
    values ($1, $2, $3, 'X', 'doctor', '-', $4, now(), now())`);
  await i.change(addUser, [older, randomUUID(), 'x1@example.com', true]);
  await i.change(addUser, [older, randomUUID(), 'x2@example.com', false]);
  const { clinics } = await i.clinics.listClinics({}, asOperator());
  expect(clinics.slice(0, 2)).toMatchObject([
    { id: newer, userCount: 1, isActive: true, botEnabled: false },
    { id: older, userCount: 2, subscriptionPlan: 'pro' },
  ]);
});

test('a change publishes an event with a growing revision and records the operator in the audit log', async () => {
  const clinicId = await registered();
  const changed = await i.clinics.updateClinic({ clinicId, plan: 'clinica', expiresInDays: 10 }, asOperator('maria'));
  expect(changed).toMatchObject({ id: clinicId, subscriptionPlan: 'clinica', isActive: true, userCount: 1 });
  await i.clinics.updateClinic({ clinicId, isActive: false }, asOperator('maria'));
  const events = await i.look(`select payload from outbox where clinic_id = $1 and subject like '%clinic-updated' order by id`, [clinicId]);
  expect(events.map(({ payload }) => [payload.plan, payload.isActive ?? false, payload.revision])).toEqual([
    ['clinica', true, 2],
    ['clinica', false, 3],
  ]);
  expect(
    await i.look(`select actor_kind, actor_id, changes from audit_log where clinic_id = $1 and action = 'clinic.updated' order by id`, [clinicId]),
  ).toMatchObject([
    { actor_kind: 'operator', actor_id: 'maria', changes: { subscription_plan: { from: 'pro', to: 'clinica' } } },
    { actor_kind: 'operator', actor_id: 'maria', changes: { is_active: { from: true, to: false } } },
  ]);
});

test('a request that changes nothing publishes and records nothing', async () => {
  const clinicId = await registered();
  await i.clinics.updateClinic({ clinicId, plan: 'pro', isActive: true }, asOperator());
  expect(await i.look(`select 1 from outbox where clinic_id = $1 and subject like '%clinic-updated'`, [clinicId])).toEqual([]);
});

test('concurrent changes of different fields are all stored', async () => {
  const clinicId = await registered();
  const changes = [{ plan: 'clinica' }, { isActive: false }, { expiresInDays: 100 }, { plan: 'clinica' }];
  await i.race('clinics', clinicId, () => changes.map((change) => i.clinics.updateClinic({ clinicId, ...change }, asOperator())));
  const [clinic] = await i.look('select subscription_plan, is_active, subscription_expires_at, revision from clinics where clinic_id = $1', [clinicId]);
  const subscription_expires_at = new Date(i.clock.now().getTime() + 100 * DAY_MS);
  expect(clinic).toEqual({ subscription_plan: 'clinica', is_active: false, subscription_expires_at, revision: 4 });
  const events = await i.look(`select (payload->>'revision')::int as revision from outbox where clinic_id = $1 and subject like '%updated'`, [clinicId]);
  expect(events.map(({ revision }) => revision).sort()).toEqual([2, 3, 4]);
});

test('days are ignored for forever_free, and a clinic that leaves it gets 30 days', async () => {
  const clinicId = await registered();
  expect((await i.clinics.updateClinic({ clinicId, plan: 'forever_free', expiresInDays: 5 }, asOperator())).subscriptionExpiresAt).toBeUndefined();
  const paid = await i.clinics.updateClinic({ clinicId, plan: 'basic' }, asOperator());
  const now = i.clock.now().getTime();
  expect(paid.subscriptionExpiresAt && timestampDate(paid.subscriptionExpiresAt).getTime()).toBe(now + 30 * DAY_MS);
});

test('0 days expire the subscription at once', async () => {
  const clinicId = await registered();
  i.clock.set(new Date(NOW.getTime() + DAY_MS));
  const { subscriptionExpiresAt } = await i.clinics.updateClinic({ clinicId, expiresInDays: 0 }, asOperator());
  expect(subscriptionExpiresAt && timestampDate(subscriptionExpiresAt)).toEqual(i.clock.now());
});

test.each([
  ['plan', { plan: 'gold' }],
  ['plan', { plan: '' }],
  ['expiresInDays', { expiresInDays: -1 }],
  ['expiresInDays', { expiresInDays: 3651 }],
])('an invalid %s is refused by name: %j', async (path, change) => {
  const clinicId = await registered();
  await expect(i.clinics.updateClinic({ clinicId, ...change }, asOperator())).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path }] });
});

test.each([randomUUID(), 'x', ''])('an unknown clinic is not found: %j', async (clinicId) => {
  await expect(i.clinics.updateClinic({ clinicId, isActive: false }, asOperator())).rejects.toMatchObject({
    reason: 'NOT_FOUND',
    message: expect.stringContaining('Clinic not found'),
  });
});

test('only operators may list and change clinics', async () => {
  const clinicId = await registered();
  const calls = [asAnonymous(), asAdmin(clinicId)].flatMap(
    (caller) => [i.clinics.listClinics({}, caller), i.clinics.updateClinic({ clinicId }, caller)] as Promise<unknown>[],
  );
  expect((await outcomes(calls)).reasons).toEqual(['FORBIDDEN', 'FORBIDDEN', 'UNAUTHENTICATED', 'UNAUTHENTICATED']);
});

test('platform can page through the states of clinics and list the actions of operators', async () => {
  const states = i.service.client(StateService);
  const first = await states.listClinicStates({ limit: 1 }, asService('platform'));
  const rest = await states.listClinicStates({ afterClinicId: first.clinics[0]?.clinicId ?? '', limit: 5_000 }, asService('platform'));
  const ids = [...first.clinics, ...rest.clinics].map(({ clinicId }) => clinicId);
  expect(ids).toEqual((await i.look('select clinic_id from clinics order by clinic_id')).map(({ clinic_id }) => clinic_id));
  const clinicId = await registered('basic');
  await i.clinics.updateClinic({ clinicId, plan: 'pro' }, asOperator('eva'));
  const { actions } = await states.listOperatorActions({ operator: 'eva', entityId: clinicId, limit: 10 }, asService('platform'));
  expect(actions).toMatchObject([{ operator: 'eva', action: 'clinic.updated', clinicId, changes: [{ field: 'subscription_plan', from: 'basic', to: 'pro' }] }]);
});
