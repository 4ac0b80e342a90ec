// Steps that are linked to appointments, and how they follow changes of the appointments.
import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { handleOnce } from '@clinic/lib/events/inbox.ts';
import { deliver } from '@clinic/lib/testing/deliver.ts';
import { AppointmentStatusChangedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Dental, startDental } from '../testing/dental-service.ts';
import { onAppointmentStatusChanged } from './on-appointment-status-changed.ts';

let s: Dental;
let clinicId: string;
let patient: { id: string };
let planId: string;
beforeAll(async () => {
  s = await startDental();
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

/** Delivers a status change of an appointment. */
function receive(appointmentId: string, status: string, revision: number) {
  const event = create(AppointmentStatusChangedSchema, { appointment: { appointmentId, patientId: patient.id, status, revision }, previousStatus: '' });
  return deliver(s.service.db, onAppointmentStatusChanged(s), clinicId, event);
}

describe('linking', () => {
  test('an appointment schedules the step; unlinking makes the step pending again', async () => {
    const appointment = s.appointment(clinicId, patient.id);
    const step = await add({ appointmentId: appointment.id });
    expect(step).toMatchObject({ status: 'scheduled', appointmentId: appointment.id });
    const unlinked = await s.treatments.updateTreatmentStep({ id: step.id, appointmentId: '' }, me());
    expect([unlinked.status, unlinked.appointmentId]).toEqual(['pending', undefined]);
    expect((await s.treatments.updateTreatmentStep({ id: step.id, appointmentId: appointment.id, status: 'pending' }, me())).status).toBe('pending');
  });

  test('a completed appointment completes the step at once', async () => {
    expect((await add({ appointmentId: s.appointment(clinicId, patient.id, 'completed').id })).status).toBe('completed');
  });

  test('the appointment must be of the clinic and of the patient', async () => {
    const { id } = await add();
    const foreign = [s.appointment(clinicId, s.patient(clinicId).id), s.appointment(randomUUID(), patient.id), { id: randomUUID() }];
    for (const appointment of foreign) {
      const gone = { reason: 'NOT_FOUND', message: 'Appointment not found' };
      await expect(add({ appointmentId: appointment.id })).rejects.toMatchObject(gone);
      await expect(s.treatments.updateTreatmentStep({ id, appointmentId: appointment.id }, me())).rejects.toMatchObject(gone);
    }
    expect((await steps()).map((step) => step.appointmentId)).toEqual([undefined]);
  });
});

describe('a changed appointment', () => {
  test('completes its open steps only', async () => {
    const appointment = s.appointment(clinicId, patient.id);
    const skipped = await add({ appointmentId: appointment.id });
    await s.treatments.updateTreatmentStep({ id: skipped.id, status: 'skipped' }, me());
    await add({ appointmentId: appointment.id });
    await add();
    await receive(appointment.id, 'completed', 2);
    expect(await statuses()).toEqual(['skipped', 'completed', 'pending']);
    const last = (await s.events(clinicId)).at(-1);
    expect(last).toMatchObject({ name: 'treatment-plan-updated', payload: { treatmentPlanId: planId, revision: 6 } });
  });

  test('that is cancelled makes its steps pending but does not unlink them; when it is confirmed again, it schedules them', async () => {
    const appointment = s.appointment(clinicId, patient.id);
    await add({ appointmentId: appointment.id });
    await receive(appointment.id, 'cancelled', 2);
    expect((await steps()).map(({ status, appointmentId }) => [status, appointmentId])).toEqual([['pending', appointment.id]]);
    await receive(appointment.id, 'confirmed', 3);
    expect(await statuses()).toEqual(['scheduled']);
  });

  test('a stale or repeated event changes nothing', async () => {
    const appointment = s.appointment(clinicId, patient.id);
    await add({ appointmentId: appointment.id });
    await receive(appointment.id, 'completed', 5);
    await receive(appointment.id, 'cancelled', 4);
    await receive(appointment.id, 'cancelled', 5);
    expect(await statuses()).toEqual(['completed']);
  });

  test('among others that are handled together changes its own steps, to its newest status', async () => {
    const appointments = [s.appointment(clinicId, patient.id), s.appointment(clinicId, patient.id), s.appointment(clinicId, patient.id)];
    for (const { id } of appointments) await add({ appointmentId: id });
    const [first = '', second = '', third = ''] = appointments.map(({ id }) => id);
    const changed = (appointmentId: string, status: string, revision: number, clinic = clinicId) => ({
      event: create(AppointmentStatusChangedSchema, { appointment: { appointmentId, patientId: patient.id, status, revision }, previousStatus: '' }),
      envelope: { id: randomUUID(), clinicId: clinic, subject: '' },
    });
    const events = [
      changed(first, 'completed', 3),
      changed(second, 'cancelled', 2),
      changed(first, 'cancelled', 2),
      changed(third, 'completed', 9, randomUUID()),
    ];
    await handleOnce(s.service.db, onAppointmentStatusChanged(s), events);
    expect(await statuses()).toEqual(['completed', 'pending', 'scheduled']);
    expect((await s.treatments.getTreatmentPlan({ id: planId }, me())).steps[0]).toMatchObject({ status: 'completed', appointmentId: first });
  });

  test('whose event arrives before the link is applied to the step', async () => {
    const appointment = s.appointment(clinicId, patient.id); // scheduling still returns revision 1
    await receive(appointment.id, 'completed', 2);
    expect((await add({ appointmentId: appointment.id })).status).toBe('completed');
  });

  test('whose new status a link has already read still changes the other steps', async () => {
    const appointment = s.appointment(clinicId, patient.id);
    await add({ appointmentId: appointment.id });
    Object.assign(appointment, { status: 'completed', revision: 2 });
    await add({ appointmentId: appointment.id });
    expect(await statuses()).toEqual(['scheduled', 'completed']);
    await receive(appointment.id, 'completed', 2);
    expect(await statuses()).toEqual(['completed', 'completed']);
  });

  test('with concurrent links and events results in the correct status of every step', async () => {
    const appointment = s.appointment(clinicId, patient.id);
    await Promise.all([
      ...Array.from({ length: 6 }, () => add({ appointmentId: appointment.id })),
      receive(appointment.id, 'completed', 2),
      add(),
      receive(appointment.id, 'completed', 3),
    ]);
    const linked = (await steps()).filter(({ appointmentId }) => appointmentId);
    expect(linked.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'completed'));
  });
});
