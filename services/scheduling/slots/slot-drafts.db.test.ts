// Slot drafts hold a slot against all other bookings until they expire.
import { randomUUID } from 'node:crypto';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { asService } from '@clinic/lib/testing/callers.ts';
import { SlotDraftService } from '@clinic/proto/scheduling/v1/slot_draft_pb.js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MONDAY, outcomes, type Scheduling, startScheduling, TUESDAY } from '../testing/clinic.ts';

let s: Scheduling;
beforeAll(async () => {
  s = await startScheduling();
});
afterAll(() => s.service.stop());
const drafts = () => s.service.client(SlotDraftService);
const slotsOf = async (clinicId: string, doctorId: string) =>
  (await s.doctors.listSlots({ doctorId, date: TUESDAY }, s.asUser(clinicId))).slots.map((slot) => slot.startTime);
const hold = (clinicId: string, doctorId: string, startTime: string, userId: string = randomUUID()) =>
  drafts().createSlotDraft({ doctorId, appointmentDate: TUESDAY, startTime }, s.asUser(clinicId, { userId }));

test('a held slot is not listed and can be booked only with its draft, once', async () => {
  const { id, doctor } = await s.clinic();
  const draft = await hold(id, doctor.id, '09:00');
  expect(draft).toMatchObject({ doctorId: doctor.id, appointmentDate: TUESDAY, startTime: '09:00:00' });
  expect(await slotsOf(id, doctor.id)).not.toContain('09:00');
  const booking = s.booking(doctor.id, '09:00');
  await expect(s.appointments.bookAppointment(booking, s.asUser(id))).rejects.toMatchObject({ reason: 'SLOT_TAKEN' });
  expect((await s.appointments.bookAppointment({ ...booking, slotDraftId: draft.id }, s.asUser(id))).startTime).toBe('09:00:00');
  await expect(s.appointments.bookAppointment({ ...booking, slotDraftId: draft.id }, s.asUser(id))).rejects.toMatchObject({ reason: 'SLOT_TAKEN' });
});

test('the slot is free again after five minutes or when the draft is deleted', async () => {
  const { id, doctor } = await s.clinic();
  const first = await hold(id, doctor.id, '09:00');
  await expect(hold(id, doctor.id, '09:00')).rejects.toMatchObject({ reason: 'SLOT_TAKEN' });
  await drafts().deleteSlotDraft({ id: first.id }, s.asUser(id));
  await hold(id, doctor.id, '09:00');
  s.clock.advance(5 * 60_000);
  expect(await slotsOf(id, doctor.id)).toContain('09:00');
  await s.appointments.bookAppointment(s.booking(doctor.id, '09:00'), s.asUser(id));
  s.clock.set(MONDAY);
});

test('a user who requests the same slot again gets the same draft for five more minutes; nobody else does', async () => {
  const { id, doctor } = await s.clinic();
  const userId = randomUUID();
  const first = await hold(id, doctor.id, '09:00', userId);
  expect(first.existing).toBe(false);
  s.clock.advance(60_000);
  const again = await Promise.all([hold(id, doctor.id, '09:00', userId), hold(id, doctor.id, '09:00', userId)]);
  const expiresAt = timestampFromDate(new Date(MONDAY.getTime() + 6 * 60_000));
  expect(again).toMatchObject(Array(2).fill({ id: first.id, existing: true, expiresAt }));
  await expect(hold(id, doctor.id, '09:00')).rejects.toMatchObject({ reason: 'SLOT_TAKEN' });
  const bot = () => drafts().createSlotDraft({ doctorId: doctor.id, appointmentDate: TUESDAY, startTime: '10:00' }, asService('messaging', id));
  await bot();
  await expect(bot()).rejects.toMatchObject({ reason: 'SLOT_TAKEN' });
  s.clock.set(MONDAY);
});

test('only one of several concurrent drafts and bookings of a slot succeeds', async () => {
  const { id, doctor } = await s.clinic();
  const calls = Array.from({ length: 30 }, (_, index) =>
    index % 2 ? hold(id, doctor.id, '10:00') : s.appointments.bookAppointment(s.booking(doctor.id, '10:00'), s.asUser(id)),
  );
  expect(await outcomes(calls)).toEqual({ answered: 1, refused: 29, reasons: ['SLOT_TAKEN'] });
});

test('a cancelled appointment cannot be confirmed again while its slot is held', async () => {
  const { id, doctor } = await s.clinic();
  const appointment = await s.appointments.bookAppointment(s.booking(doctor.id, '10:00'), s.asUser(id));
  await s.appointments.updateAppointmentStatus({ id: appointment.id, status: 'cancelled' }, s.asUser(id));
  await hold(id, doctor.id, '10:00');
  await expect(s.appointments.updateAppointmentStatus({ id: appointment.id, status: 'confirmed' }, s.asUser(id))).rejects.toMatchObject({
    reason: 'SLOT_TAKEN',
  });
});

test('a draft of another clinic or doctor, or an unknown one, is not found', async () => {
  const [mine, other] = [await s.clinic(), await s.clinic()];
  const foreign = await hold(other.id, other.doctor.id, '09:00');
  for (const slotDraftId of [foreign.id, randomUUID()]) {
    await expect(s.appointments.bookAppointment({ ...s.booking(mine.doctor.id, '09:00'), slotDraftId }, s.asUser(mine.id))).rejects.toMatchObject({
      reason: 'NOT_FOUND',
      message: 'Slot draft not found',
    });
  }
  await expect(drafts().deleteSlotDraft({ id: foreign.id }, s.asUser(mine.id))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  expect(await slotsOf(other.id, other.doctor.id)).not.toContain('09:00');
  expect(await slotsOf(mine.id, mine.doctor.id)).toContain('09:00');
});
