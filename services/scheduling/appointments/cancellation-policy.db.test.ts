// Patients can move and cancel appointments themselves until the notice of the policy; late cancellations are counted for the patient.
import { asSystem } from '@clinic/lib/db/db.ts';
import { asService } from '@clinic/lib/testing/callers.ts';
import { AppointmentSeriesService } from '@clinic/proto/scheduling/v1/appointment_series_pb.js';
import { AppointmentTypeService } from '@clinic/proto/scheduling/v1/appointment_type_pb.js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type AnalyticsClinic, startAnalyticsClinic } from '../testing/analytics-clinic.ts';
import { TUESDAY } from '../testing/clinic.ts';
import { storeZone } from '../zone-changes/change-zone.ts';

let s: AnalyticsClinic;
beforeAll(async () => {
  s = await startAnalyticsClinic();
});
afterAll(() => s.stop());

const ZONE = 'America/El_Salvador';
const tooSoon = { reason: 'INSIDE_CANCELLATION_NOTICE' };
const setPolicy = (clinicId: string, cancellationNoticeHours: number | undefined, revision: number) =>
  asSystem(s.service.db, (tx) => storeZone(tx, clinicId, ZONE, revision, s.clock.now(), { cancellationNoticeHours }));

test('inside the notice the bot is refused and the desk is not; a cancellation by the desk counts for the patient unless the clinic is the reason', async () => {
  const { id, doctor } = await s.clinic();
  await setPolicy(id, 25, 2);
  await setPolicy(id, undefined, 3); // an event of an earlier release
  const phone = s.phone();
  const book = (startTime: string) => s.appointments.bookAppointment({ ...s.booking(doctor.id, startTime), patientPhone: phone }, s.asUser(id));
  const [first, second, third] = [await book('08:00'), await book('08:30'), await book('10:00')];
  const bot = asService('messaging', id);
  await expect(s.appointments.updateAppointmentStatus({ id: first.id, status: 'cancelled' }, bot)).rejects.toMatchObject(tooSoon);
  await expect(s.appointments.rescheduleAppointment({ id: first.id, appointmentDate: TUESDAY, startTime: '09:00' }, bot)).rejects.toMatchObject(tooSoon);
  await s.appointments.updateAppointmentStatus({ id: first.id, status: 'confirmed' }, bot);
  // 26 hours before its start.
  expect(await s.appointments.updateAppointmentStatus({ id: third.id, status: 'cancelled' }, bot)).toMatchObject({ lateCancellation: false });

  const count = async () => (await s.patients.getPatient({ id: first.patientId }, s.asUser(id))).lateCancellationCount;
  const cancel = (appointment: { id: string }, cancelledByClinic = false) =>
    s.appointments.updateAppointmentStatus({ id: appointment.id, status: 'cancelled', cancelledByClinic }, s.asUser(id));
  expect(await cancel(first)).toMatchObject({ lateCancellation: true });
  expect(await cancel(second, true)).toMatchObject({ lateCancellation: false });
  expect(await count()).toBe(1);
  await s.appointments.updateAppointmentStatus({ id: first.id, status: 'cancelled', cancellationReason: 'Viaje' }, s.asUser(id));
  expect(await count()).toBe(1);

  for (const delivery of await s.ownEvents(id)) await s.deliver(delivery);
  const { visits } = await s.analytics.getDashboard({ from: TUESDAY, to: TUESDAY }, s.asAdmin(id)); // plain-words: visits is public JSON
  expect(visits).toMatchObject({ cancelled: { value: 3 }, lateCancelled: { value: 1, link: expect.stringContaining('late_cancellation=true') } }); // plain-words: visits is public JSON
  expect(await s.appointments.listAppointments({ start: TUESDAY, end: TUESDAY, lateCancellation: true }, s.asUser(id))).toMatchObject({
    appointments: [{ id: first.id }],
    total: 1,
  });
  expect(await s.appointments.listAppointments({ start: TUESDAY, end: TUESDAY, lateCancellation: false }, s.asUser(id))).toMatchObject({
    appointments: [{ id: second.id }, { id: third.id }],
    total: 2,
  });

  await s.appointments.updateAppointmentStatus({ id: first.id, status: 'confirmed' }, s.asUser(id));
  expect(await count()).toBe(0);
  await expect(s.appointments.updateAppointmentStatus({ id: first.id, status: 'completed', cancelledByClinic: true }, s.asUser(id))).rejects.toMatchObject({
    details: [{ path: 'cancelled_by_clinic' }],
  });
});

test('a cancellation that was counted as late is corrected when the clinic was the reason', async () => {
  const { id, doctor } = await s.clinic();
  await setPolicy(id, 25, 2);
  const { id: appointmentId, patientId } = await s.appointments.bookAppointment(s.booking(doctor.id, '08:00'), s.asUser(id));
  const cancel = (more: object = {}) => s.appointments.updateAppointmentStatus({ id: appointmentId, status: 'cancelled', ...more }, s.asUser(id));
  expect(await cancel({ cancellationReason: 'Viaje' })).toMatchObject({ lateCancellation: true });
  const corrected = await cancel({ cancelledByClinic: true });
  expect(corrected).toMatchObject({ status: 'cancelled', lateCancellation: false, cancellationReason: 'Viaje' });
  expect(await cancel()).toEqual(corrected);
  expect((await s.patients.getPatient({ id: patientId }, s.asUser(id))).lateCancellationCount).toBe(0);
  for (const delivery of await s.ownEvents(id)) await s.deliver(delivery);
  const { visits } = await s.analytics.getDashboard({ from: TUESDAY, to: TUESDAY }, s.asAdmin(id)); // plain-words: visits is public JSON
  expect(visits).toMatchObject({ cancelled: { value: 1 }, lateCancelled: { value: 0 } }); // plain-words: visits is public JSON
});

test.each([true, false])(
  'a series that is cancelled inside the notice counts for the patient, unless the clinic is the reason (%s)',
  async (cancelledByClinic) => {
    const { id, doctor } = await s.clinic();
    await setPolicy(id, 25, 2);
    const series = s.service.client(AppointmentSeriesService);
    const booked = await series.bookSeries({ ...s.booking(doctor.id, '08:00'), every: { weeks: 2 }, count: 2 }, s.asUser(id));
    const { cancelled } = await series.cancelSeries({ id: booked.id, from: TUESDAY, cancelledByClinic }, s.asUser(id));
    expect(cancelled.map(({ lateCancellation }) => lateCancellation)).toEqual([!cancelledByClinic, false]);
  },
);

test('the notice of the type replaces that of the clinic', async () => {
  const { id, doctor } = await s.clinic();
  await setPolicy(id, 48, 2);
  const types = s.service.client(AppointmentTypeService);
  const fields = { name: 'Control', durationMinutes: 30, color: '#112233', cancellationNoticeHours: 0, cancellationText: 'Sin aviso' };
  const type = await types.createAppointmentType(fields, s.asAdmin(id));
  expect(type).toMatchObject(fields);
  const { id: appointmentId } = await s.appointments.bookAppointment({ ...s.booking(doctor.id, '08:00'), typeId: type.id }, s.asUser(id));
  const cancel = () => s.appointments.updateAppointmentStatus({ id: appointmentId, status: 'cancelled' }, asService('messaging', id));
  const cleared = await types.updateAppointmentType({ id: type.id, cancellationNoticeHours: -1, cancellationText: '' }, s.asAdmin(id));
  expect([cleared.cancellationNoticeHours, cleared.cancellationText]).toEqual([undefined, undefined]);
  await expect(cancel()).rejects.toMatchObject(tooSoon);
  await types.updateAppointmentType({ id: type.id, cancellationNoticeHours: 24 }, s.asAdmin(id));
  expect(await cancel()).toMatchObject({ status: 'cancelled', lateCancellation: false });
});
