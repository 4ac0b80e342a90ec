// A change of the clinic's time zone: appointments, drafts and offers keep their local times.

import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { asSystem, getRow, sql } from '@clinic/lib/db/db.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { deliver } from '@clinic/lib/testing/deliver.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { waitForLocked } from '@clinic/lib/testing/wait-for-locked.ts';
import { ClinicUpdatedSchema } from '@clinic/proto/events/v1/identity_pb.js';
import { AccessService } from '@clinic/proto/identity/v1/access_pb.js';
import { UserService } from '@clinic/proto/identity/v1/user_pb.js';
import { MailService, type SendMailRequest } from '@clinic/proto/messaging/v1/mail_pb.js';
import { SlotDraftService } from '@clinic/proto/scheduling/v1/slot_draft_pb.js';
import { WaitlistService } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DateTime } from 'luxon';
import pg from 'pg';
import { consumers as analyticsConsumers } from '../analytics/consumers.ts';
import type { App } from '../app.ts';
import { FIRST_REVISION } from '../clinics/clinics.sql.ts';
import { everyDay, MONDAY, outcomes, type Scheduling, startScheduling, TUESDAY } from '../testing/clinic.ts';
import { fakeOf } from '../testing/fake-of.ts';
import { restoreLocalTimes, storeZone } from './change-zone.ts';
import { zoneConsumers } from './consumers.ts';

const SALVADOR = 'America/El_Salvador';
const NEW_YORK = 'America/New_York';
/** New York skips 02:00 to 03:00. */
const SPRING = '2027-03-14';

const mails: SendMailRequest[] = [];
const admin = { id: randomUUID(), email: 'admin@example.com', fullName: 'Ana Morales', appRole: 'admin', isActive: true };
/** The admin is on the second page. */
const users = [...Array.from({ length: 500 }, () => ({ ...admin, appRole: 'doctor' })), admin];
const identity = localTransport([
  fakeOf(AccessService, { resolveClinic: async () => ({ isActive: true, plan: 'pro', timezone: SALVADOR, country: 'SV' }) }),
  fakeOf(UserService, {
    listUsers: async (_app, { page, limit }) => ({ users: users.slice((page - 1) * limit, page * limit), total: users.length, page, limit }),
  }),
]);
const messaging = localTransport([fakeOf(MailService, { sendMail: async (_app, mail) => ({ id: String(mails.push(mail)) }) })]);

let s: Scheduling;
let owner: pg.Client;
beforeAll(async () => {
  s = await startScheduling({ identity, messaging });
  owner = new pg.Client({ connectionString: s.service.database.ownerUrl });
  await owner.connect();
});
beforeEach(() => s.clock.set(MONDAY));
afterAll(async () => {
  await owner.end();
  await s.service.stop();
});

let revisions = 1;
/** Stores a zone as the consumer of identity's event does. Callers still have the former zone, as they do until the event arrives. */
async function setZone(clinicId: string, timezone: string, beforeCommit = async () => {}, revision = ++revisions) {
  await asSystem(s.service.db, async (tx) => {
    await storeZone(tx, clinicId, timezone, revision, s.clock.now());
    await beforeCommit();
  });
}
async function clinicIn(zone: string) {
  const made = await s.clinic();
  await setZone(made.id, zone);
  return made;
}
const slots = async (id: string, doctorId: string, date = TUESDAY) =>
  (await s.doctors.listSlots({ doctorId, date }, s.asUser(id))).slots.map(({ startTime }) => startTime);
const book = (id: string, doctorId: string, startTime: string, date = TUESDAY) =>
  s.appointments.bookAppointment({ ...s.booking(doctorId, startTime, date), outsideHours: true }, s.asUser(id));
const list = async (id: string, filter: object = {}) => (await s.appointments.listAppointments({ limit: 500, ...filter }, s.asUser(id))).appointments;
const instants = async (id: string) => (await list(id)).map(({ startsAt }) => startsAt && timestampDate(startsAt).toISOString());

test('upcoming appointments, drafts and offers keep their local times; past ones keep their instants', async () => {
  const { id, doctor } = await clinicIn(SALVADOR);
  await book(id, doctor.id, '08:30', MONDAY.toISOString().slice(0, 10));
  const cancelled = await book(id, doctor.id, '10:00');
  await book(id, doctor.id, '11:00');
  const waitlist = s.service.client(WaitlistService);
  await waitlist.joinWaitlist({ patientName: 'Eva Luna', patientPhone: s.phone(), dateFrom: TUESDAY, dateTo: TUESDAY }, s.asUser(id));
  s.clock.set(new Date('2026-06-02T06:30:00Z'));
  await s.appointments.updateAppointmentStatus({ id: cancelled.id, status: 'cancelled' }, s.asUser(id));
  const draft = await s.service.client(SlotDraftService).createSlotDraft({ doctorId: doctor.id, appointmentDate: TUESDAY, startTime: '09:00' }, s.asUser(id));
  const before = await slots(id, doctor.id);
  await setZone(id, NEW_YORK);
  expect(await instants(id)).toEqual(['2026-06-01T14:30:00.000Z', '2026-06-02T14:00:00.000Z', '2026-06-02T15:00:00.000Z']);
  expect(await slots(id, doctor.id)).toEqual(before);
  expect(before).toEqual(['08:00', '08:30', '09:30', '10:30', '11:30']);
  const [entry] = (await waitlist.listWaitlist({}, s.asUser(id))).entries;
  expect(entry?.offer).toMatchObject({ startTime: '10:00:00' });
  const booked = await s.appointments.bookAppointment({ ...s.booking(doctor.id, '09:00'), slotDraftId: draft.id }, s.asUser(id));
  expect(booked.startsAt && timestampDate(booked.startsAt).toISOString()).toBe('2026-06-02T13:00:00.000Z');
  expect((await waitlist.acceptOffer({ id: entry?.id ?? '' }, s.asUser(id))).startTime).toBe('10:00:00');
});

test('the changed appointments are published, and an older event changes nothing', async () => {
  const { id, doctor } = await clinicIn(SALVADOR);
  const { id: appointmentId } = await book(id, doctor.id, '09:00');
  await setZone(id, NEW_YORK);
  await setZone(id, SALVADOR, undefined, 1);
  expect(await s.published(id, 'appointments-updated')).toMatchObject([
    { appointments: [{ appointmentId, appointmentDate: TUESDAY, startsAt: '2026-06-02T13:00:00Z', timezone: NEW_YORK, revision: 2 }] },
  ]);
});

test('appointments that were booked before scheduling knew the clinic are moved too: the event of a change may arrive before that of the registration', async () => {
  const { id, doctor } = await s.clinic();
  await book(id, doctor.id, '09:00');
  await setZone(id, NEW_YORK);
  expect(await instants(id)).toEqual(['2026-06-02T13:00:00.000Z']);
});

test('the registration of a clinic that arrives while its first change is stored changes nothing', async () => {
  const { id, doctor } = await s.clinic();
  await book(id, doctor.id, '09:00');
  let registration = Promise.resolve();
  await setZone(id, NEW_YORK, async () => {
    registration = setZone(id, SALVADOR, undefined, FIRST_REVISION);
    await waitForLocked(s.service.database.ownerUrl);
  });
  await registration;
  expect(await instants(id)).toEqual(['2026-06-02T13:00:00.000Z']);
  expect(await slots(id, doctor.id)).not.toContain('09:00:00');
});

// These consumers do not use the rest of the app.
const app = { clock: { now: () => MONDAY } } as App;
const consumersOfChanges = [...analyticsConsumers(app), ...zoneConsumers(app)].filter(({ event }) => event.typeName === ClinicUpdatedSchema.typeName);

test.each(consumersOfChanges.map((consumer) => ({ first: consumer.name, consumer })))('appointments are moved when $first is first', async ({ consumer }) => {
  const { id, doctor } = await clinicIn(SALVADOR);
  await book(id, doctor.id, '09:00');
  const event = create(ClinicUpdatedSchema, { timezone: NEW_YORK, revision: ++revisions });
  for (const each of [consumer, ...consumersOfChanges]) await deliver(s.service.db, each, id, event);
  expect(await instants(id)).toEqual(['2026-06-02T13:00:00.000Z']);
});

test('appointments in a skipped hour are listed and mailed to the admins until they are rescheduled', async () => {
  const { id, doctor } = await clinicIn(SALVADOR);
  for (const time of ['02:00', '02:30', '03:00', '09:00']) await book(id, doctor.id, time, SPRING);
  await setZone(id, NEW_YORK);
  const conflicts = await list(id, { timeConflict: true });
  expect(conflicts.map(({ startTime }) => startTime)).toEqual(['02:00:00', '02:30:00']);
  expect((await list(id, { timeConflict: false })).map(({ startTime }) => startTime)).toEqual(['03:00:00', '09:00:00']);
  await waitFor(() => mails.some(({ reference }) => reference.startsWith(id)));
  const [mail, ...more] = mails.filter(({ reference }) => reference.startsWith(id));
  expect(more).toEqual([]);
  expect(mail).toMatchObject({ kind: 'time_conflicts', to: admin.email, parameters: { zone: NEW_YORK } });
  expect(mail?.parameters.text?.split('\n')).toHaveLength(2);
  for (const [index, { id: appointmentId }] of conflicts.entries())
    await s.appointments.rescheduleAppointment({ id: appointmentId, appointmentDate: SPRING, startTime: `1${index}:00` }, s.asUser(id));
  expect(await list(id, { timeConflict: true })).toEqual([]);
});

// PostgreSQL may have older rules of these zones than Node.
test.each(['America/Edmonton', 'Africa/Casablanca'])('appointments that begin at their local times in %s have no time conflict', async (zone) => {
  const { id, doctor } = await clinicIn(SALVADOR);
  await book(id, doctor.id, '09:00', '2026-12-01');
  await setZone(id, zone);
  expect([(await list(id, { timeConflict: true })).length, (await list(id, { timeConflict: false })).length]).toEqual([0, 1]);
});

test('an appointment shows the end that its length has in the new zone, where the clocks change at another time', async () => {
  const { id, doctor } = await clinicIn(NEW_YORK);
  await s.doctors.updateDoctor({ id: doctor.id, bufferTimeMinutes: 10 }, s.asAdmin(id));
  await book(id, doctor.id, '01:45', SPRING);
  await s.appointments.bookAppointment({ ...s.booking(doctor.id, '00:30', '2026-11-01'), outsideHours: true, durationMinutes: 120 }, s.asUser(id));
  const shown = async () => (await list(id)).map(({ startTime, endTime }) => `${startTime} ${endTime}`);
  const [inNewYork, inSalvador] = [
    ['00:30:00 01:30:00', '01:45:00 03:15:00'],
    ['00:30:00 02:30:00', '01:45:00 02:15:00'],
  ];
  expect(await shown()).toEqual(inNewYork);
  await setZone(id, SALVADOR);
  expect(await shown()).toEqual(inSalvador);
  await setZone(id, NEW_YORK);
  expect(await shown()).toEqual(inNewYork);
});

test('bookings that run while the zone changes are made in the new zone', async () => {
  const { id, doctor } = await clinicIn(SALVADOR);
  const times = ['08:00', '08:30', '09:00', '09:30'];
  let bookings: Promise<unknown>[] = [];
  await setZone(id, NEW_YORK, async () => {
    bookings = times.map((time) => s.appointments.bookAppointment(s.booking(doctor.id, time), s.asUser(id)));
    await waitForLocked(s.service.database.ownerUrl, times.length);
  });
  await Promise.all(bookings);
  expect(await instants(id)).toEqual(['12:00', '12:30', '13:00', '13:30'].map((time) => `${TUESDAY}T${time}:00.000Z`));
});

test('a change of the zone locks an offer before the draft of its slot, as an erasure of the patient does', async () => {
  const { id, doctor } = await clinicIn(SALVADOR);
  const { id: booked } = await book(id, doctor.id, '10:00');
  const waiting = { patientName: 'Eva Luna', patientPhone: s.phone(), dateFrom: TUESDAY, dateTo: TUESDAY };
  await s.service.client(WaitlistService).joinWaitlist(waiting, s.asUser(id));
  await s.appointments.updateAppointmentStatus({ id: booked, status: 'cancelled' }, s.asUser(id));
  await owner.query('begin');
  await owner.query('select from scheduling.waitlist_offers where clinic_id = $1 for update', [id]);
  const changing = setZone(id, NEW_YORK);
  await waitForLocked(s.service.database.ownerUrl);
  const unlocked = await owner.query('select from scheduling.slot_drafts where clinic_id = $1 for update skip locked', [id]);
  await owner.query('rollback');
  await changing;
  expect(unlocked.rowCount).toBe(1);
});

/** How often the connection has locked the appointments of a clinic. */
const countAttempts = sql<{ attempts: number }>(`
  select coalesce(sum(generic_plans + custom_plans), 0)::int as attempts from pg_prepared_statements where statement like 'select id from appointments %'`);

/** Writes what a booking that has locked the calendar before the change writes: an appointment an hour after `first`. Returns its id. */
async function insertLater(first: string): Promise<string> {
  const booker = new pg.Client({ connectionString: s.service.database.ownerUrl });
  await booker.connect();
  const { rows } = await booker.query(
    `insert into scheduling.appointments
     select (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid(), 'idempotency_key', 'MANUAL_later', 'start_time', '10:00', 'end_time', '10:30',
       'starts_at', a.starts_at + interval '1 hour', 'busy', tstzrange(lower(a.busy) + interval '1 hour', upper(a.busy) + interval '1 hour')))).*
     from scheduling.appointments a where a.id = $1 returning id`,
    [first],
  );
  await booker.end();
  return rows[0].id;
}
/** The instants of both after the change. */
const LATER = ['2026-06-02T13:00:00.000Z', '2026-06-02T14:00:00.000Z'];

test('a cancellation of an appointment that was booked while the zone changes is not blocked by the change', async () => {
  const { id, doctor } = await clinicIn(SALVADOR);
  const { id: first } = await book(id, doctor.id, '09:00');
  const waitlist = s.service.client(WaitlistService);
  await waitlist.joinWaitlist({ patientName: 'Eva Luna', patientPhone: s.phone(), dateFrom: TUESDAY, dateTo: TUESDAY }, s.asUser(id));
  await owner.query('begin');
  await owner.query('select from scheduling.doctors where id = $1 for share', [doctor.id]);
  const changing = setZone(id, NEW_YORK);
  await waitForLocked(s.service.database.ownerUrl, 1, '%from doctors%');
  const cancelling = s.appointments.updateAppointmentStatus({ id: await insertLater(first), status: 'cancelled' }, s.asUser(id));
  await waitForLocked(s.service.database.ownerUrl, 2, '%from doctors%');
  await owner.query('rollback');
  expect(await outcomes([changing, cancelling])).toEqual({ answered: 2, refused: 0, reasons: [] });
  expect(await instants(id)).toEqual(LATER);
});

test('an appointment that was booked meanwhile is locked too, without locking all others again: bookings that follow each other do not delay a change', async () => {
  const { id, doctor } = await clinicIn(SALVADOR);
  const { id: first } = await book(id, doctor.id, '09:00');
  await owner.query('begin');
  await owner.query('select from scheduling.doctors where id = $1 for share', [doctor.id]);
  const attempts = asSystem(s.service.db, async (tx) => {
    const { attempts: before } = await getRow(tx, countAttempts);
    await storeZone(tx, id, NEW_YORK, ++revisions, s.clock.now());
    return (await getRow(tx, countAttempts)).attempts - before;
  });
  await waitForLocked(s.service.database.ownerUrl, 1, '%from doctors%');
  await insertLater(first);
  await owner.query('rollback');
  expect(await attempts).toBe(1);
  expect(await instants(id)).toEqual(LATER);
});

test('bookings, moves and cancellations while the zone changes do not deadlock', async () => {
  const { id, doctor } = await clinicIn(SALVADOR);
  const times = ['08:00', '08:30', '09:00', '09:30', '10:00', '10:30', '11:00', '11:30'];
  const waitlist = s.service.client(WaitlistService);
  await waitlist.joinWaitlist({ patientName: 'Eva Luna', patientPhone: s.phone(), dateFrom: TUESDAY, dateTo: TUESDAY }, s.asUser(id));
  const bookAndFree = async (startTime: string, index: number) => {
    const { id: appointmentId } = await s.appointments.bookAppointment(s.booking(doctor.id, startTime), s.asUser(id));
    if (index % 2) await s.appointments.rescheduleAppointment({ id: appointmentId, appointmentDate: '2026-06-03', startTime }, s.asUser(id));
    await s.appointments.updateAppointmentStatus({ id: appointmentId, status: 'cancelled' }, s.asUser(id));
  };
  const changes = [NEW_YORK, SALVADOR, NEW_YORK, SALVADOR].map((zone) => setZone(id, zone));
  expect(await outcomes([...changes, ...times.map(bookAndFree)])).toEqual({ answered: 12, refused: 0, reasons: [] });
});

test('appointments of earlier releases are repaired', async () => {
  const { id, doctor } = await clinicIn(SALVADOR);
  await book(id, doctor.id, '09:00');
  await owner.query('update scheduling.clinics set timezone = $2 where clinic_id = $1', [id, NEW_YORK]);
  expect(await list(id, { timeConflict: true })).toHaveLength(1);
  const reports: string[] = [];
  for (let i = 0; i < 2; i++) await restoreLocalTimes(s.service.db, s.clock.now(), (line) => reports.push(line));
  expect(await instants(id)).toEqual(['2026-06-02T13:00:00.000Z']);
  expect(reports[1]).toMatch(/: 0$/);
});

test('after any changes of the zone: local times stay, nothing overlaps, slots and appointments agree, and every slot can be booked', async () => {
  const zones = [SALVADOR, NEW_YORK, 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/Santiago', 'Pacific/Kiritimati', 'Pacific/Honolulu', 'Africa/Cairo'];
  const dates = [TUESDAY, '2026-06-03', '2026-09-06', '2026-10-04', '2026-11-01', SPRING];
  const wish = fc.record({ date: fc.constantFrom(...dates), minutes: fc.integer({ min: 0, max: 95 }).map((quarter) => quarter * 15) });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...zones), { minLength: 2, maxLength: 4 }), fc.array(wish, { maxLength: 12 }), async (changes, wishes) => {
      const [first = SALVADOR, ...later] = changes;
      const { id, doctor } = await clinicIn(first);
      await s.doctors.updateDoctor({ id: doctor.id, bufferTimeMinutes: 10, workingHours: { ranges: everyDay('00:00', '23:30') } }, s.asAdmin(id));
      const time = (minutes: number) => `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
      await Promise.allSettled(wishes.map(({ date, minutes }) => book(id, doctor.id, time(minutes), date)));
      const shown = async () => (await list(id)).map(({ id, appointmentDate, startTime }) => [id, appointmentDate, startTime]);
      const before = await shown();
      for (const zone of later) await setZone(id, zone);
      expect(await shown()).toEqual(before);
      const zone = changes.at(-1) ?? first;
      const conflicts = new Set((await list(id, { timeConflict: true })).map((one) => one.id));
      for (const { id: appointmentId, appointmentDate, startTime, endTime, startsAt } of await list(id)) {
        const start = DateTime.fromJSDate(startsAt ? timestampDate(startsAt) : new Date(0), { zone });
        const local = start.toFormat('yyyy-MM-dd HH:mm:ss');
        expect([appointmentId, local === `${appointmentDate} ${startTime}`]).toEqual([appointmentId, !conflicts.has(appointmentId)]);
        if (!conflicts.has(appointmentId)) expect([local, endTime]).toEqual([local, start.plus({ minutes: 30 }).toFormat('HH:mm:ss')]);
      }
      for (const date of dates) {
        const free = await slots(id, doctor.id, date);
        const taken = (await list(id, { date })).filter((one) => !conflicts.has(one.id)).map(({ startTime }) => startTime.slice(0, 5));
        expect(free.filter((one) => taken.includes(one))).toEqual([]);
        const some = [free[0], free[Math.floor(free.length / 2)], free.at(-1)].filter((one) => one !== undefined);
        for (const startTime of new Set(some)) await s.appointments.bookAppointment(s.booking(doctor.id, startTime, date), s.asUser(id));
      }
    }),
    { numRuns: 12, examples: [[[SALVADOR, NEW_YORK], [{ date: '2026-11-01', minutes: 60 }]]] },
  );
});
