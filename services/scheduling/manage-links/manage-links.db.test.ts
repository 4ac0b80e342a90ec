// The link by which patients see, confirm, move and cancel an appointment.
import { randomUUID } from 'node:crypto';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { AgendaService } from '@clinic/proto/scheduling/v1/agenda_pb.js';
import { ManageLinkService } from '@clinic/proto/scheduling/v1/manage_link_pb.js';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { MONDAY, type Scheduling, TUESDAY } from '../testing/clinic.ts';
import { type OnlineBooking, patient, startOnlineBooking } from '../testing/online-booking.ts';

let s: Scheduling;
let online: OnlineBooking;
beforeAll(async () => {
  online = await startOnlineBooking();
  s = online.scheduling;
});
beforeEach(() => {
  s.clock.set(MONDAY);
  online.messaging.channel = 'chat';
});
afterAll(() => s.service.stop());

/** Books 09:00 of Tuesday; `token` is that of the manage link. */
async function bookOnline(options: Parameters<OnlineBooking['openClinic']>[0] = {}) {
  const clinic = await online.openClinic(options);
  const { manageUrl = '' } = await clinic.confirm((await online.page().beginBooking(clinic.wanted('09:00'), patient)).bookingId);
  const [, token = ''] = /^http:\/\/[^/]+\/manage\/([\w-]{66})$/.exec(manageUrl) ?? [];
  const see = () => link().getManagedAppointment({ token }, patient);
  const move = (startTime: string, date = TUESDAY) => link().moveManagedAppointment({ token, date, startTime }, patient);
  const attend = (startTime: string) => link().confirmManagedAppointment({ token, date: TUESDAY, startTime }, patient);
  const cancel = () => link().cancelManagedAppointment({ token }, patient);
  return { ...clinic, token, see, move, attend, cancel };
}
const link = () => s.service.client(ManageLinkService);

test('the link lists times that overlap the appointment, and a free day counts them', async () => {
  const { token, move } = await bookOnline({ durationMinutes: 60 });
  const { slots } = await link().listManagedSlots({ token, date: TUESDAY }, patient);
  expect(slots.map(({ startTime }) => startTime)).toEqual(['08:00', '08:30', '09:30', '10:00', '10:30', '11:00']);
  const { days } = await link().listManagedDays({ token, month: '2026-06' }, patient);
  expect(days[1]).toMatchObject({ date: TUESDAY, free: 6 });
  expect(await move('09:30')).toMatchObject({ startTime: '09:30', endTime: '10:30' });
});

test('the link of the confirmation shows the appointment, moves it once to a free time of the doctor, and cancels it once', async () => {
  const { id, slug, token, see, move, cancel, listed } = await bookOnline();
  const [{ id: appointmentId = '' } = {}] = (await listed('confirmed')).appointments;
  expect((await link().getManageLink({ appointmentId }, s.asUser(id))).link).toMatch(new RegExp(`/manage/${token}$`));
  await expect(link().getManageLink({ appointmentId }, s.asUser(randomUUID()))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  const seen = { status: 'open', date: TUESDAY, startTime: '09:00', endTime: '09:30', typeName: 'Limpieza', doctorName: 'Dra. Ana Rivas' };
  expect(await see()).toMatchObject({ ...seen, clinicName: 'Sonrisa', clinicAddress: 'Calle Arce 12', cancellationText: 'Avise antes', bookingSlug: slug });
  const { slots } = await link().listManagedSlots({ token, date: TUESDAY }, patient);
  expect(slots.map(({ startTime }) => startTime)).toEqual(['08:00', '08:30', '09:30', '10:00', '10:30', '11:00', '11:30']);
  const { days } = await link().listManagedDays({ token, month: '2026-06' }, patient);
  expect(days[1]).toMatchObject({ date: TUESDAY, free: 7 });
  await expect(move('09:10')).rejects.toMatchObject({ reason: 'SLOT_UNAVAILABLE' });
  for (const moved of await Promise.all([move('10:00'), move('10:00')])) expect(moved).toMatchObject({ ...seen, startTime: '10:00', endTime: '10:30' });
  for (const cancelled of await Promise.all([cancel(), cancel()])) expect(cancelled.status).toBe('cancelled');
  await expect(move('11:00')).rejects.toMatchObject({ reason: 'APPOINTMENT_NOT_ACTIVE' });
  const [appointment] = (await listed('cancelled')).appointments;
  expect(appointment).toMatchObject({ lateCancellation: false, startTime: '10:00:00' });
  for (const event of ['appointment-rescheduled', 'appointment-status-changed']) expect(await s.published(id, event)).toHaveLength(1);
});

test('the patient confirms a time once, also inside the notice; the desk sees it until the appointment is moved or cancelled', async () => {
  const { id, see, attend, listed } = await bookOnline({ noticeHours: 24 });
  s.clock.set(new Date('2026-06-01T15:00:01Z')); // 9:00:01 of the day before
  expect(await attend('08:00')).toMatchObject({ startTime: '09:00', patientConfirmed: false });
  for (const seen of await Promise.all([attend('09:00'), attend('09:00')])) expect(seen).toMatchObject({ status: 'inside_notice', patientConfirmed: true });
  const desk = async (status = 'confirmed') => (await listed(status)).appointments[0];
  const { id: appointmentId = '', patientConfirmedAt } = (await desk()) ?? {};
  expect(patientConfirmedAt).toEqual(timestampFromDate(s.clock.now()));
  const { doctors } = await s.service.client(AgendaService).getAgenda({ date: TUESDAY }, s.asUser(id));
  expect(doctors[0]?.visits).toMatchObject([{ patientConfirmedAt }]); // plain-words: visits is a field of the API
  expect(await s.published(id, 'appointments-updated')).toHaveLength(1);
  await s.appointments.rescheduleAppointment({ id: appointmentId, appointmentDate: TUESDAY, startTime: '10:00' }, s.asUser(id));
  expect([(await see()).patientConfirmed, (await desk())?.patientConfirmedAt]).toEqual([false, undefined]);
  await attend('10:00');
  await s.appointments.updateAppointmentStatus({ id: appointmentId, status: 'cancelled' }, s.asUser(id));
  expect((await desk('cancelled'))?.patientConfirmedAt).toBeUndefined();
  await expect(attend('10:00')).rejects.toMatchObject({ reason: 'APPOINTMENT_NOT_ACTIVE' });
});

test('inside the notice the link shows the appointment and changes nothing; it ends with the appointment', async () => {
  const { id, see, move, cancel, listed } = await bookOnline({ noticeHours: 24 });
  s.clock.set(new Date('2026-06-01T15:00:01Z')); // 9:00:01 of the day before
  expect((await see()).status).toBe('inside_notice');
  for (const change of [cancel, () => move('11:00')]) await expect(change()).rejects.toMatchObject({ reason: 'INSIDE_CANCELLATION_NOTICE' });
  const [appointment] = (await listed('confirmed')).appointments;
  await s.appointments.updateAppointmentStatus({ id: appointment?.id ?? '', status: 'cancelled' }, s.asUser(id));
  expect((await see()).status).toBe('cancelled');
  await s.appointments.updateAppointmentStatus({ id: appointment?.id ?? '', status: 'confirmed' }, s.asUser(id));
  s.clock.set(new Date('2026-06-02T15:30:00Z'));
  expect(await see()).toMatchObject({ status: 'over', date: '', doctorName: '' });
  for (const change of [cancel, () => move('11:00')]) await expect(change()).rejects.toMatchObject({ reason: 'APPOINTMENT_NOT_ACTIVE' });
});

test('without a notice an appointment can be changed until it begins; nothing changes while the clinic is suspended or read-only', async () => {
  const { id, see, cancel } = await bookOnline();
  s.clock.set(new Date('2026-06-02T15:00:00Z'));
  expect((await see()).status).toBe('inside_notice');
  s.clock.set(MONDAY);
  const clinic = online.clinics.get(id) ?? {};
  online.clinics.set(id, { ...clinic, readOnly: true });
  expect((await see()).status).toBe('open');
  await expect(cancel()).rejects.toMatchObject({ reason: 'READ_ONLY' });
  online.clinics.set(id, { ...clinic, isActive: false });
  await expect(see()).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  await expect(link().getManagedAppointment({ token: 'a'.repeat(66) }, patient)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
});

test('the link offers another appointment only while the clinic accepts online bookings', async () => {
  const { id, slug, see } = await bookOnline();
  const clinic = online.clinics.get(id) ?? {};
  for (const change of [{ features: [] }, { subscriptionExpiresAt: timestampFromDate(s.clock.now()) }]) {
    for (const name of [slug, id]) online.clinics.set(name, { ...clinic, ...change });
    const { status, bookingSlug } = await see();
    expect([status, bookingSlug]).toEqual(['open', undefined]);
    await expect(online.page().getBookableClinic({ slug }, patient)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  }
});

test('a pending request can be withdrawn by its link before the desk confirms it', async () => {
  const { wanted, listed } = await online.openClinic();
  online.messaging.channel = '';
  const { manageUrl = '' } = await online.page().beginBooking(wanted('09:00'), patient);
  const token = manageUrl.slice(-66);
  expect((await link().getManagedAppointment({ token }, patient)).status).toBe('pending');
  const seen = { token, date: TUESDAY, startTime: '09:00' };
  await expect(link().confirmManagedAppointment(seen, patient)).rejects.toMatchObject({ reason: 'APPOINTMENT_NOT_ACTIVE' });
  expect((await link().cancelManagedAppointment({ token }, patient)).status).toBe('cancelled');
  expect((await listed('pending')).total).toBe(0);
});

test('inside the notice an unconfirmed request is still shown as pending', async () => {
  const { wanted } = await online.openClinic({ noticeHours: 24 });
  online.messaging.channel = '';
  const { manageUrl = '' } = await online.page().beginBooking(wanted('09:00'), patient);
  const token = manageUrl.slice(-66);
  s.clock.set(new Date('2026-06-01T15:00:01Z')); // 9:00:01 of the day before
  expect((await link().getManagedAppointment({ token }, patient)).status).toBe('pending_inside_notice');
  await expect(link().cancelManagedAppointment({ token }, patient)).rejects.toMatchObject({ reason: 'INSIDE_CANCELLATION_NOTICE' });
});
