// Steps that are done in visits: links, and what becomes of the steps when the visit changes.
import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { asSystem } from '@clinic/lib/db/db.ts';
import { AppointmentStatusChangedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Plans, startPlans } from '../testing/plans-service.ts';
import { onAppointmentStatusChanged } from './on-appointment-status-changed.ts';

let s: Plans;
let clinicId: string;
let patient: { id: string };
let planId: string;
beforeAll(async () => {
  s = await startPlans();
});
afterAll(() => s.stop());
beforeEach(async () => {
  clinicId = randomUUID();
  patient = s.patient(clinicId);
  planId = (await s.treatments.createTreatmentPlan({ patientId: patient.id, title: 'Plan' }, me())).id;
});

const me = () => s.asUser(clinicId);
const add = (fields: object = {}) => s.treatments.addTreatmentStep({ id: planId, procedure: 'Corona', ...fields }, me());
const steps = async () => (await s.treatments.getTreatmentPlan({ id: planId }, me())).steps;
const statuses = async () => (await steps()).map(({ status }) => status);

/** What the service hears of a visit. */
function hear(appointmentId: string, status: string, revision: number) {
  const event = create(AppointmentStatusChangedSchema, { appointment: { appointmentId, patientId: patient.id, status, revision }, previousStatus: '' });
  const { handle } = onAppointmentStatusChanged(s);
  return asSystem(s.service.db, (tx) => handle(tx, event, { id: randomUUID(), clinicId, subject: '' }));
}

describe('linking', () => {
  test('a visit schedules the step, taking it away makes it pending again', async () => {
    const visit = s.visit(clinicId, patient.id);
    const step = await add({ appointmentId: visit.id });
    expect(step).toMatchObject({ status: 'scheduled', appointmentId: visit.id });
    const unlinked = await s.treatments.updateTreatmentStep({ id: step.id, appointmentId: '' }, me());
    expect([unlinked.status, unlinked.appointmentId]).toEqual(['pending', undefined]);
    expect((await s.treatments.updateTreatmentStep({ id: step.id, appointmentId: visit.id, status: 'pending' }, me())).status).toBe('pending');
  });

  test('a visit that is over completes it at once', async () => {
    expect((await add({ appointmentId: s.visit(clinicId, patient.id, 'completed').id })).status).toBe('completed');
  });

  test('the visit must be of the clinic and of the patient', async () => {
    const { id } = await add();
    const foreign = [s.visit(clinicId, s.patient(clinicId).id), s.visit(randomUUID(), patient.id), { id: randomUUID() }];
    for (const visit of foreign) {
      const gone = { reason: 'NOT_FOUND', message: 'Appointment not found' };
      await expect(add({ appointmentId: visit.id })).rejects.toMatchObject(gone);
      await expect(s.treatments.updateTreatmentStep({ id, appointmentId: visit.id }, me())).rejects.toMatchObject(gone);
    }
    expect((await steps()).map((step) => step.appointmentId)).toEqual([undefined]);
  });
});

describe('a visit that changes', () => {
  test('completes its open steps and no others', async () => {
    const visit = s.visit(clinicId, patient.id);
    const skipped = await add({ appointmentId: visit.id });
    await s.treatments.updateTreatmentStep({ id: skipped.id, status: 'skipped' }, me());
    await add({ appointmentId: visit.id });
    await add();
    await hear(visit.id, 'completed', 2);
    expect(await statuses()).toEqual(['skipped', 'completed', 'pending']);
    const told = (await s.events(clinicId)).at(-1);
    expect(told).toMatchObject({ name: 'treatment-plan-updated', payload: { treatmentPlanId: planId, revision: 6 } });
  });

  test('a cancelled one sets them back and keeps the link, one that stands again takes them along', async () => {
    const visit = s.visit(clinicId, patient.id);
    await add({ appointmentId: visit.id });
    await hear(visit.id, 'cancelled', 2);
    expect((await steps()).map(({ status, appointmentId }) => [status, appointmentId])).toEqual([['pending', visit.id]]);
    await hear(visit.id, 'confirmed', 3);
    expect(await statuses()).toEqual(['scheduled']);
  });

  test('a stale or repeated event changes nothing', async () => {
    const visit = s.visit(clinicId, patient.id);
    await add({ appointmentId: visit.id });
    await hear(visit.id, 'completed', 5);
    await hear(visit.id, 'cancelled', 4);
    await hear(visit.id, 'cancelled', 5);
    expect(await statuses()).toEqual(['completed']);
  });

  test('an event that comes before the link is not lost', async () => {
    const visit = s.visit(clinicId, patient.id); // scheduling's answer is of a moment before
    await hear(visit.id, 'completed', 2);
    expect((await add({ appointmentId: visit.id })).status).toBe('completed');
  });

  test('a link that knows of the change already does not hide it from the other steps', async () => {
    const visit = s.visit(clinicId, patient.id);
    await add({ appointmentId: visit.id });
    Object.assign(visit, { status: 'completed', revision: 2 });
    await add({ appointmentId: visit.id });
    expect(await statuses()).toEqual(['scheduled', 'completed']);
    await hear(visit.id, 'completed', 2);
    expect(await statuses()).toEqual(['completed', 'completed']);
  });

  test('links and events at once: every step ends as the visit', async () => {
    const visit = s.visit(clinicId, patient.id);
    await Promise.all([
      ...Array.from({ length: 6 }, () => add({ appointmentId: visit.id })),
      hear(visit.id, 'completed', 2),
      add(),
      hear(visit.id, 'completed', 3),
    ]);
    const linked = (await steps()).filter(({ appointmentId }) => appointmentId);
    expect(linked.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'completed'));
  });
});
