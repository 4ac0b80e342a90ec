// A freed slot is offered to the first entry that it suits and held for it; after a decline or expiry it is offered to the next.

import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { handleOnce } from '@clinic/lib/events/inbox.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { asOperator, asService } from '@clinic/lib/testing/callers.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { waitForLocked } from '@clinic/lib/testing/wait-for-locked.ts';
import { DataSubjectService } from '@clinic/proto/common/v1/data_subject_pb.js';
import { OutboundMessageUpdatedSchema } from '@clinic/proto/events/v1/messaging_pb.js';
import { AppointmentTypeService } from '@clinic/proto/scheduling/v1/appointment_type_pb.js';
import { SlotDraftService } from '@clinic/proto/scheduling/v1/slot_draft_pb.js';
import { WaitlistService } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import type { App } from '../app.ts';
import { everyDay, MONDAY, outcomes, type Scheduling, startScheduling, TUESDAY } from '../testing/clinic.ts';
import { sweepWaitlist } from './expire-offers.ts';
import { onOfferUnsent } from './on-offer-unsent.ts';

const MINUTE = 60_000;
let s: Scheduling;
let owner: pg.Client;
beforeAll(async () => {
  s = await startScheduling();
  owner = new pg.Client({ connectionString: s.service.database.ownerUrl });
  await owner.connect();
});
beforeEach(() => s.clock.set(MONDAY));
afterAll(async () => {
  await owner.end();
  await s.service.stop();
});

const waitlist = () => s.service.client(WaitlistService);
/** Runs the sweep, which expires offers as their jobs do, at a time that the test chooses. */
const sweep = () => sweepWaitlist({ db: s.service.db, clock: s.clock, log: createLog('test', 'silent') } as unknown as App);
const join = (clinicId: string, wants: object = {}) =>
  waitlist().joinWaitlist({ patientName: 'Eva Luna', patientPhone: s.phone(), dateFrom: TUESDAY, dateTo: TUESDAY, ...wants }, s.asUser(clinicId));
const statuses = async (clinicId: string) => (await waitlist().listWaitlist({}, s.asUser(clinicId))).entries.map(({ status }) => status);
const slots = async (clinicId: string, doctorId: string) =>
  (await s.doctors.listSlots({ doctorId, date: TUESDAY }, s.asUser(clinicId))).slots.map(({ startTime }) => startTime);
const book = (clinicId: string, doctorId: string, startTime = '09:00') => s.appointments.bookAppointment(s.booking(doctorId, startTime), s.asUser(clinicId));
const cancel = (clinicId: string, id: string) => s.appointments.updateAppointmentStatus({ id, status: 'cancelled' }, s.asUser(clinicId));
const events = (clinicId: string, name: string) => s.published(clinicId, name);

/** A clinic with `count` waiting entries, whose appointment at 09:00 was just cancelled. */
async function freed(line: number) {
  const { id, doctor } = await s.clinic();
  const appointment = await book(id, doctor.id);
  const entries = [];
  for (let i = 0; i < line; i++) entries.push(await join(id));
  await cancel(id, appointment.id);
  return { id, doctor, appointment, entries };
}

/** Begins the 15 minutes of the open offer, as messaging does when it sends it. */
async function send(id: string, entryId = '') {
  const [offer] = (await events(id, 'waitlist-offered')).filter((one) => one.entryId === entryId).slice(-1);
  return waitlist().startOffer({ id: entryId, offerId: offer.offerId }, asService('messaging', id));
}

test('a cancellation offers the slot to the first entry and holds it against all other bookings', async () => {
  const { id, doctor, appointment, entries } = await freed(2);
  expect(await statuses(id)).toEqual(['offered', 'waiting']);
  const [entry] = (await waitlist().listWaitlist({ status: 'offered' }, s.asUser(id))).entries;
  expect(entry).toMatchObject({ id: entries[0]?.id, offer: { doctorId: doctor.id, appointmentDate: TUESDAY, startTime: '09:00:00', endTime: '09:30:00' } });
  expect(await slots(id, doctor.id)).not.toContain('09:00');
  await expect(book(id, doctor.id)).rejects.toMatchObject({ reason: 'SLOT_TAKEN' });
  await expect(s.appointments.updateAppointmentStatus({ id: appointment.id, status: 'confirmed' }, s.asUser(id))).rejects.toMatchObject({
    reason: 'SLOT_TAKEN',
  });
  const offer = entry?.offer?.id ?? '';
  await expect(s.service.client(SlotDraftService).deleteSlotDraft({ id: offer }, s.asUser(id))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  await expect(s.appointments.bookAppointment({ ...s.booking(doctor.id, '09:00'), slotDraftId: offer }, s.asUser(id))).rejects.toMatchObject({
    reason: 'NOT_FOUND',
  });
  expect(await events(id, 'waitlist-offered')).toMatchObject([
    { entryId: entries[0]?.id, offerId: offer, doctorId: doctor.id, startTime: '09:00', startsAt: '2026-06-02T15:00:00Z', expiresAt: '2026-06-02T14:00:00Z' },
  ]);
  expect(JSON.stringify(await events(id, 'waitlist-%'))).not.toMatch(/Eva|\+503/);
});

test('an offer is accepted once, also by concurrent requests and by messaging', async () => {
  const { id, doctor, entries } = await freed(1);
  const entryId = entries[0]?.id ?? '';
  const calls = Array.from({ length: 20 }, (_, index) => waitlist().acceptOffer({ id: entryId }, index % 2 ? s.asUser(id) : asService('messaging', id)));
  expect(await outcomes(calls)).toEqual({ answered: 1, refused: 19, reasons: ['OFFER_NOT_OPEN'] });
  const { appointments } = await s.appointments.listAppointments({ status: 'confirmed' }, s.asUser(id));
  expect(appointments).toMatchObject([
    { doctorId: doctor.id, appointmentDate: TUESDAY, startTime: '09:00:00', source: 'waitlist', patients: { fullName: 'Eva Luna' } },
  ]);
  const [entry] = (await waitlist().listWaitlist({}, s.asUser(id))).entries;
  expect(entry).toMatchObject({ status: 'booked', appointmentId: appointments[0]?.id });
  expect(entry?.offer).toBeUndefined();
  expect(await events(id, 'waitlist-offer-closed')).toMatchObject([{ entryId, outcome: 'accepted' }]);
});

test('an offer of a doctor who was deactivated, or of a type that was deleted, is no longer available', async () => {
  const { id, doctor } = await s.clinic();
  const types = s.service.client(AppointmentTypeService);
  const type = await types.createAppointmentType({ name: 'Control', durationMinutes: 30, color: '#112233' }, s.asAdmin(id));
  const appointment = await book(id, doctor.id);
  const entry = await join(id, { typeId: type.id });
  await cancel(id, appointment.id);
  const refused = () => expect(waitlist().acceptOffer({ id: entry.id }, s.asUser(id))).rejects.toMatchObject({ reason: 'SLOT_UNAVAILABLE' });
  await s.doctors.deactivateDoctor({ id: doctor.id }, s.asAdmin(id));
  await refused();
  await s.doctors.updateDoctor({ id: doctor.id, isActive: true }, s.asAdmin(id));
  await types.deleteAppointmentType({ id: type.id }, s.asAdmin(id));
  await refused();
  expect(await statuses(id)).toEqual(['offered']);
});

test('the appointment of an offer belongs to the patient into whom the record was merged during the acceptance', async () => {
  const { id, entries } = await freed(1);
  const entryId = entries[0]?.id ?? '';
  const remaining = await s.patients.createPatient({ fullName: 'Eva Luna Paz', phone: s.phone() }, s.asUser(id));
  const merge = new pg.Client({ connectionString: s.service.database.ownerUrl });
  await merge.connect();
  await merge.query('begin');
  await merge.query('update scheduling.waitlist_entries set patient_id = $2 where id = $1', [entryId, remaining.id]);
  const accepted = waitlist().acceptOffer({ id: entryId }, s.asUser(id));
  await waitForLocked(s.service.database.ownerUrl, 1, '%update waitlist_entries%');
  await merge.query('commit');
  await merge.end();
  expect(await accepted).toMatchObject({ patientId: remaining.id, patients: { fullName: 'Eva Luna Paz' } });
});

test('a repeated acceptance returns the first response', async () => {
  const { id, entries } = await freed(1);
  const accept = () => waitlist().acceptOffer({ id: entries[0]?.id ?? '' }, s.asUser(id, { key: 'yes-1' }));
  expect((await accept()).id).toBe((await accept()).id);
});

test('an offer that was accepted is accepted again with the same appointment, until that is cancelled; another offer is not', async () => {
  const { id, entries } = await freed(1);
  const entryId = entries[0]?.id ?? '';
  const [{ offerId }] = await events(id, 'waitlist-offered');
  const accept = (offer = offerId) => waitlist().acceptOffer({ id: entryId, offerId: offer }, asService('messaging', id));
  const { id: booked } = await accept();
  expect(await accept()).toMatchObject({ id: booked, status: 'confirmed', startTime: '09:00:00', patients: { fullName: 'Eva Luna' } });
  expect((await s.appointments.listAppointments({ status: 'confirmed' }, s.asUser(id))).total).toBe(1);
  await expect(accept(randomUUID())).rejects.toMatchObject({ reason: 'OFFER_NOT_OPEN' });
  await cancel(id, booked);
  await expect(accept()).rejects.toMatchObject({ reason: 'OFFER_NOT_OPEN' });
});

test('a declined slot is offered to the next entry, never twice to one patient, and is free at the end', async () => {
  const { id, doctor, entries } = await freed(2);
  await join(id, { patientId: entries[0]?.patientId, patientName: undefined, patientPhone: undefined, dateTo: '2026-06-30' });
  await waitlist().declineOffer({ id: entries[0]?.id ?? '' }, s.asUser(id));
  expect(await statuses(id)).toEqual(['waiting', 'offered', 'waiting']);
  await waitlist().declineOffer({ id: entries[1]?.id ?? '' }, s.asUser(id));
  expect(await statuses(id)).toEqual(['waiting', 'waiting', 'waiting']);
  expect(await slots(id, doctor.id)).toContain('09:00');
  await expect(waitlist().declineOffer({ id: entries[1]?.id ?? '' }, s.asUser(id))).rejects.toMatchObject({ reason: 'OFFER_NOT_OPEN' });
  const other = await book(id, doctor.id, '10:00');
  await cancel(id, other.id);
  expect(await statuses(id)).toEqual(['offered', 'waiting', 'waiting']);
});

test('15 minutes after it was sent the offer expires and can no longer be accepted', async () => {
  const { id, doctor, entries } = await freed(2);
  s.clock.advance(11 * 60 * MINUTE);
  await sweep();
  expect(await statuses(id)).toEqual(['offered', 'waiting']);
  await send(id, entries[0]?.id);
  s.clock.advance(10 * MINUTE);
  expect((await send(id, entries[0]?.id)).offer?.expiresAt).toEqual(timestampFromDate(new Date(s.clock.now().getTime() + 15 * MINUTE)));
  s.clock.advance(15 * MINUTE - 1);
  await sweep();
  expect(await statuses(id)).toEqual(['offered', 'waiting']);
  await expect(book(id, doctor.id)).rejects.toMatchObject({ reason: 'SLOT_TAKEN' });
  s.clock.advance(1);
  await expect(send(id, entries[0]?.id)).rejects.toMatchObject({ reason: 'OFFER_NOT_OPEN' });
  await expect(waitlist().acceptOffer({ id: entries[0]?.id ?? '' }, s.asUser(id))).rejects.toMatchObject({ reason: 'OFFER_NOT_OPEN' });
  await Promise.all([sweep(), sweep(), sweep()]);
  expect(await statuses(id)).toEqual(['waiting', 'offered']);
  expect(await events(id, 'waitlist-offer-closed')).toMatchObject([{ entryId: entries[0]?.id, outcome: 'expired' }]);
});

test('an offer that cannot be expired delays neither other offers nor entries; the sweep fails', async () => {
  const [broken, other] = [await freed(1), await freed(1)];
  const late = await join(other.id);
  await owner.query(
    `create function scheduling.refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
     create trigger refuse before update on scheduling.waitlist_offers for each row when (old.clinic_id = '${broken.id}') execute function scheduling.refuse()`,
  );
  s.clock.set(new Date('2026-06-03T14:00:00Z'));
  await expect(sweep()).rejects.toThrow('1 offer');
  expect(await events(other.id, 'waitlist-offer-closed')).toMatchObject([{ outcome: 'expired' }]);
  expect((await waitlist().listWaitlist({ status: 'expired' }, s.asUser(other.id))).entries.map(({ id }) => id)).toContain(late.id);
  await owner.query('drop function scheduling.refuse cascade');
  await sweep();
  expect(await events(broken.id, 'waitlist-offer-closed')).toMatchObject([{ outcome: 'expired' }]);
});

test('an offer that nobody sends for 24 hours, as long as quiet hours may last, expires', async () => {
  const { id } = await freed(3);
  s.clock.advance(24 * 60 * MINUTE - 1);
  await sweep();
  expect(await statuses(id)).toEqual(['offered', 'waiting', 'waiting']);
  s.clock.advance(1);
  await sweep();
  expect(await statuses(id)).toEqual(['waiting', 'offered', 'waiting']);
});

test.each([
  ['131026', 0],
  ['no_phone', 0],
  ['132001', 15],
  ['disconnected', 15],
])('an offer that cannot be sent (%s) passes on after %i minutes', async (failure, minutes) => {
  const { id, entries } = await freed(2);
  const [{ offerId }] = await events(id, 'waitlist-offered');
  const unsent = (code: string) => {
    const event = create(OutboundMessageUpdatedSchema, { kind: 'waitlist', reference: `${entries[0]?.id}/${offerId}`, status: 'failed', failure: code });
    return handleOnce(s.service.db, onOfferUnsent({ clock: s.clock } as unknown as App), [
      { event, envelope: { id: randomUUID(), clinicId: id, subject: '' } },
    ]);
  };
  await unsent('no_answer'); // the patient may have received it
  await unsent(failure);
  if (minutes > 0) {
    s.clock.advance(minutes * MINUTE - 1);
    await sweep();
    expect(await statuses(id)).toEqual(['offered', 'waiting']);
    s.clock.advance(1);
  }
  await sweep();
  expect(await statuses(id)).toEqual(['waiting', 'offered']);
});

test('offers expire by their job, or else by the sweep that runs each minute', async () => {
  const { id, entries } = await freed(2);
  await send(id, entries[0]?.id);
  s.clock.advance(15 * MINUTE);
  await waitFor(async () => (await statuses(id)).join() === 'waiting,offered', 90_000);
});

test('accepting an earlier offer does not accept the current one', async () => {
  const { id, doctor, entries } = await freed(1);
  const entryId = entries[0]?.id ?? '';
  const [first] = await events(id, 'waitlist-offered');
  const later = await book(id, doctor.id, '10:00');
  await send(id, entryId);
  s.clock.advance(15 * MINUTE);
  await sweep();
  await cancel(id, later.id);
  await expect(waitlist().acceptOffer({ id: entryId, offerId: first.offerId }, s.asUser(id))).rejects.toMatchObject({ reason: 'OFFER_NOT_OPEN' });
  expect((await waitlist().acceptOffer({ id: entryId }, s.asUser(id))).startTime).toBe('10:00:00');
});

test('an entry that leaves gets no offers, and its open offer goes to the next entry', async () => {
  const { id, entries } = await freed(3);
  const leave = (index: number) => waitlist().leaveWaitlist({ id: entries[index]?.id ?? '' }, s.asUser(id));
  expect((await leave(1)).status).toBe('left');
  expect((await leave(0)).status).toBe('left');
  expect(await statuses(id)).toEqual(['left', 'left', 'offered']);
  expect((await leave(0)).status).toBe('left');
  expect(await events(id, 'waitlist-offer-closed')).toMatchObject([{ outcome: 'withdrawn' }]);
});

test('erasing a patient releases the slot that was offered to the patient, and no other', async () => {
  const { id, doctor, entries } = await freed(2);
  await cancel(id, (await book(id, doctor.id, '10:00')).id);
  expect(await statuses(id)).toEqual(['offered', 'offered']);
  await s.service.client(DataSubjectService).eraseRecords({ subject: { clinicId: id, patientIds: [entries[0]?.patientId ?? ''] } }, asOperator());
  expect(await statuses(id)).toEqual(['offered']);
  expect((await slots(id, doctor.id)).filter((start) => start === '09:00' || start === '10:00')).toEqual(['09:00']);
});

test('an entry to which a slot is offered while it leaves has left', async () => {
  const { id, doctor } = await s.clinic();
  const [entry, appointment] = [await join(id), await book(id, doctor.id)];
  const holder = new pg.Client({ connectionString: s.service.database.ownerUrl });
  await holder.connect();
  await holder.query('begin');
  await holder.query('lock table scheduling.waitlist_offers in share mode');
  // The offer waits for the lock with the entry already locked; the entry leaves, and waits for the offer.
  const offered = cancel(id, appointment.id);
  await waitForLocked(s.service.database.ownerUrl, 1, '%insert into waitlist_offers%');
  const left = waitlist().leaveWaitlist({ id: entry.id }, s.asUser(id));
  await waitForLocked(s.service.database.ownerUrl, 1, '%update waitlist_entries%');
  await holder.query('commit');
  await holder.end();
  await offered;
  expect((await left).status).toBe('left');
  expect(await statuses(id)).toEqual(['left']);
  expect(await slots(id, doctor.id)).toContain('09:00');
});

test('rescheduling frees a slot too, also when two doctors swap appointments', async () => {
  const { id, doctor } = await s.clinic();
  const other = await s.doctors.createDoctor({ fullName: 'Dr. Otro', workingHours: everyDay('08:00', '12:00') }, s.asAdmin(id));
  const [a, b] = [await book(id, doctor.id, '09:00'), await book(id, other.id, '11:00')];
  await join(id, { doctorId: doctor.id });
  await join(id, { doctorId: other.id });
  const move = (appointment: { id: string }, doctorId: string) =>
    s.appointments.rescheduleAppointment({ id: appointment.id, doctorId, appointmentDate: TUESDAY, startTime: '10:00' }, s.asUser(id));
  await Promise.all([move(a, other.id), move(b, doctor.id)]);
  expect((await waitlist().listWaitlist({}, s.asUser(id))).entries).toMatchObject([{ offer: { startTime: '09:00:00' } }, { offer: { startTime: '11:00:00' } }]);
});

test('an entry whose last date is over expires', async () => {
  const { id } = await s.clinic();
  await join(id);
  s.clock.set(new Date('2026-06-03T05:59:00Z'));
  await sweep();
  expect(await statuses(id)).toEqual(['waiting']);
  s.clock.set(new Date('2026-06-03T06:01:00Z'));
  await sweep();
  expect(await statuses(id)).toEqual(['expired']);
});

test('the slot is offered to the first entry that it suits: doctor, dates, times, order of arrival', async () => {
  const { id, doctor } = await s.clinic();
  const other = await s.doctors.createDoctor({ fullName: 'Dr. Otro', workingHours: everyDay('08:00', '12:00') }, s.asAdmin(id));
  const hours = ['08:00', '08:30', '09:00', '09:30', '10:00', '12:00'];
  const wish = fc.record({
    doctorId: fc.constantFrom(undefined, doctor.id, other.id),
    dateFrom: fc.constantFrom('2026-06-01', TUESDAY, '2026-06-03'),
    dateTo: fc.constantFrom('2026-06-03', '2026-06-04'),
    timeFrom: fc.constantFrom(undefined, ...hours.slice(0, 3)),
    timeTo: fc.constantFrom(undefined, ...hours.slice(3)),
  });
  const suits = ({ doctorId, dateFrom, timeFrom, timeTo }: Record<string, string | undefined>) =>
    (doctorId === undefined || doctorId === doctor.id) && (dateFrom ?? '') <= TUESDAY && (timeFrom ?? '00:00') <= '09:00' && (timeTo ?? '23:59') >= '09:30';
  await fc.assert(
    fc.asyncProperty(fc.array(wish, { minLength: 1, maxLength: 5 }), async (wishes) => {
      const appointment = await book(id, doctor.id);
      const entries = [];
      for (const wants of wishes) entries.push(await join(id, wants));
      await cancel(id, appointment.id);
      const { entries: offered } = await waitlist().listWaitlist({ status: 'offered' }, s.asUser(id));
      const first = wishes.findIndex((wants) => suits(wants));
      expect(offered.map((entry) => entry.id)).toEqual(first < 0 ? [] : [entries[first]?.id]);
      for (const entry of entries.toReversed()) await waitlist().leaveWaitlist({ id: entry.id }, s.asUser(id));
    }),
    { numRuns: 25 },
  );
});

test('40 concurrent cancellations and joins leave no entry and no slot with two offers', async () => {
  const { id, doctor } = await s.clinic();
  const appointments = await Promise.all(['08:00', '08:30', '09:00', '09:30', '10:00', '10:30', '11:00', '11:30'].map((time) => book(id, doctor.id, time)));
  await Promise.all(Array.from({ length: 6 }, () => join(id)));
  await Promise.all(appointments.map((appointment) => cancel(id, appointment.id)));
  const { entries } = await waitlist().listWaitlist({}, s.asUser(id));
  expect(entries.map(({ status }) => status)).toEqual(Array(6).fill('offered'));
  expect(new Set(entries.map(({ offer }) => offer?.startTime)).size).toBe(6);
  expect(await slots(id, doctor.id)).toHaveLength(2);
});

test('patients and doctors of another clinic, past dates and reversed times are refused', async () => {
  const [mine, other] = [await s.clinic(), await s.clinic()];
  const foreign = await s.patients.createPatient({ fullName: 'Ajeno', phone: s.phone() }, s.asUser(other.id));
  const refused = (wants: object) => expect(join(mine.id, wants)).rejects;
  await refused({ patientId: foreign.id }).toMatchObject({ reason: 'NOT_FOUND', message: 'Patient not found' });
  await refused({ patientId: randomUUID() }).toMatchObject({ reason: 'NOT_FOUND' });
  await refused({ doctorId: other.doctor.id }).toMatchObject({ reason: 'NOT_FOUND', message: 'Doctor not found' });
  await refused({ patientPhone: undefined }).toMatchObject({ details: [{ path: 'patientPhone' }] });
  await refused({ dateFrom: '2026-05-01', dateTo: '2026-05-31' }).toMatchObject({ details: [{ path: 'dateTo' }] });
  await refused({ dateFrom: '2026-06-05', dateTo: '2026-06-04' }).toMatchObject({ details: [{ path: 'dateTo' }] });
  await refused({ timeFrom: '10:00', timeTo: '09:00' }).toMatchObject({ details: [{ path: 'timeTo' }] });
  const entry = await join(other.id);
  for (const id of [entry.id, randomUUID(), 'x']) {
    for (const call of [waitlist().acceptOffer, waitlist().declineOffer, waitlist().leaveWaitlist])
      await expect(call({ id }, s.asUser(mine.id))).rejects.toMatchObject({ reason: 'NOT_FOUND', message: 'Waitlist entry not found' });
  }
  await expect(waitlist().acceptOffer({ id: entry.id }, s.asUser(other.id))).rejects.toMatchObject({ reason: 'OFFER_NOT_OPEN' });
});

test('only one of several concurrent identical entries is added; a different one, or the same one after the first has left, is a new entry', async () => {
  const { id, doctor } = await s.clinic();
  const wish = { patientPhone: s.phone(), doctorId: doctor.id, timeFrom: '08:00' };
  const calls = Array.from({ length: 8 }, (_, index) => join(id, { ...wish, notes: `${index}` }));
  expect(await outcomes(calls)).toEqual({ answered: 1, refused: 7, reasons: ['WAITLIST_ENTRY_EXISTS'] });
  await join(id, { ...wish, timeFrom: undefined });
  await join(id, { ...wish, doctorId: undefined });
  const [first] = (await waitlist().listWaitlist({}, s.asUser(id))).entries;
  await waitlist().leaveWaitlist({ id: first?.id ?? '' }, s.asUser(id));
  await join(id, wish);
  await expect(join(id, wish)).rejects.toMatchObject({ reason: 'WAITLIST_ENTRY_EXISTS' });
});

test('the bot adds one entry per message, for a patient given by phone or by id', async () => {
  const { id, doctor } = await s.clinic();
  const phone = s.phone();
  const wish = { doctorId: doctor.id, dateFrom: TUESDAY, dateTo: TUESDAY, patientName: 'Eva Luna', patientPhone: phone };
  const first = await waitlist().joinWaitlist(wish, asService('messaging', id, 'message-1'));
  expect((await waitlist().joinWaitlist(wish, asService('messaging', id, 'message-1'))).id).toBe(first.id);
  await expect(waitlist().joinWaitlist(wish, asService('messaging', id, 'message-2'))).rejects.toMatchObject({ reason: 'WAITLIST_ENTRY_EXISTS' });
  const byId = { doctorId: doctor.id, dateFrom: TUESDAY, dateTo: '2026-06-30', patientId: first.patientId };
  const second = await waitlist().joinWaitlist(byId, asService('messaging', id, 'message-3'));
  expect((await waitlist().listWaitlist({}, s.asUser(id))).entries.map((entry) => entry.id)).toEqual([first.id, second.id]);
});

test('a booked entry cannot be removed', async () => {
  const { id, entries } = await freed(1);
  const entry = { id: entries[0]?.id ?? '' };
  await waitlist().acceptOffer(entry, s.asUser(id));
  await expect(waitlist().leaveWaitlist(entry, s.asUser(id))).rejects.toMatchObject({ reason: 'WAITLIST_ENTRY_BOOKED' });
  expect(await statuses(id)).toEqual(['booked']);
});
