// Appointments that the bot books, changes and lists for patients.
import { randomUUID } from 'node:crypto';
import { asService } from '@clinic/lib/testing/callers.ts';
import { waitForLocked } from '@clinic/lib/testing/wait-for-locked.ts';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { type Scheduling, startScheduling, TUESDAY } from '../testing/clinic.ts';

let s: Scheduling;
let owner: pg.Client;
beforeAll(async () => {
  s = await startScheduling();
  owner = new pg.Client({ connectionString: s.service.database.ownerUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await s.service.stop();
});
const lookup = () => s.service.client(LookupService);

test('a booking by the bot has the source chat and is counted; a booking by a user is not', async () => {
  const { id, doctor } = await s.clinic();
  const bot = await s.appointments.bookAppointment(s.booking(doctor.id, '08:00'), asService('messaging', id));
  expect(bot.source).toBe('chat');
  expect(bot.idempotencyKey).toMatch(/^CHAT_/);
  const desk = await s.appointments.bookAppointment(s.booking(doctor.id, '08:30'), s.asUser(id, { key: 'k' }));
  expect(desk).toMatchObject({ source: 'manual', idempotencyKey: 'MANUAL_k' });
  expect((await s.appointments.bookAppointment(s.booking(doctor.id, '09:00'), asService('dental', id))).source).toBe('manual');
  expect((await s.appointments.countChatBookings({}, s.asUser(id))).count).toBe(1);
});

test('events state whether the patient made the change', async () => {
  const { id, doctor } = await s.clinic();
  const [one, two] = await Promise.all(['08:00', '08:30'].map((time) => s.appointments.bookAppointment(s.booking(doctor.id, time), s.asUser(id))));
  const move = { id: one?.id ?? '', appointmentDate: TUESDAY, startTime: '10:00' };
  await s.appointments.rescheduleAppointment(move, asService('messaging', id));
  await s.appointments.updateAppointmentStatus({ id: one?.id ?? '', status: 'cancelled' }, asService('messaging', id));
  await s.appointments.updateAppointmentStatus({ id: two?.id ?? '', status: 'cancelled' }, s.asUser(id));
  const { rows } = await owner.query(
    `select payload->'byChat' as chat from scheduling.outbox
     where clinic_id = $1 and (subject like '%rescheduled' or subject like '%status-changed') order by id`,
    [id],
  );
  expect(rows.map(({ chat }) => chat)).toEqual([true, true, null]);
});

test('the upcoming appointments of a phone are those of its patient and dependants in the clinic, neither past nor cancelled', async () => {
  const { id, doctor } = await s.clinic();
  const phone = s.phone();
  const book = (startTime: string, date = TUESDAY) =>
    s.appointments.bookAppointment({ ...s.booking(doctor.id, startTime, date), patientPhone: phone, patientName: 'Rosa Díaz' }, s.asUser(id));
  const [later, sooner, gone] = [await book('10:00'), await book('08:00'), await book('09:00')];
  await s.appointments.updateAppointmentStatus({ id: gone.id, status: 'cancelled' }, s.asUser(id));
  const child = randomUUID();
  await owner.query(`insert into scheduling.patients (clinic_id, id, full_name, search_name, guardian_id) values ($1, $2, 'Ana', ' ana', $3)`, [
    id,
    child,
    later.patientId,
  ]);
  await owner.query('update scheduling.appointments set patient_id = $2 where id = $1', [later.id, child]);
  const listed = await lookup().listUpcomingAppointments({ phone }, asService('messaging', id));
  expect(listed.appointments.map(({ id, patients, doctors }) => [id, patients?.fullName, doctors?.fullName])).toEqual([
    [sooner.id, 'Rosa Díaz', 'Dra. Ana Rivas'],
    [later.id, 'Ana', 'Dra. Ana Rivas'],
  ]);
  expect((await lookup().listUpcomingAppointments({ phone }, asService('messaging', randomUUID()))).appointments).toEqual([]);
  const until = s.clock.now();
  s.clock.advance(7 * 86_400_000);
  expect((await lookup().listUpcomingAppointments({ phone }, asService('messaging', id))).appointments).toEqual([]);
  s.clock.set(until);
});

test('a patient who opted out of recall messages can opt in again', async () => {
  const id = randomUUID();
  const patient = await s.patients.createPatient({ fullName: 'Rosa', phone: s.phone() }, s.asUser(id));
  const choose = (optIn: boolean) => lookup().setRecallOptOut({ id: patient.id, optIn }, asService('messaging', id));
  expect((await choose(false)).recallOptedOut).toBe(true);
  expect((await choose(true)).recallOptedOut).toBe(false);
  expect((await choose(true)).recallOptedOut).toBe(false);
});

test('an opt-out by a guardian by chat also applies to the dependants; at the desk it applies to one patient', async () => {
  const id = randomUUID();
  const guardian = await s.patients.createPatient({ fullName: 'Rosa', phone: s.phone() }, s.asUser(id));
  const child = await s.service.client(PatientFamilyService).createDependant({ id: guardian.id, fullName: 'Luz' }, s.asUser(id));
  const optedOut = async () => Promise.all([guardian, child].map(async (one) => (await s.patients.getPatient({ id: one.id }, s.asUser(id))).recallOptedOut));
  const choose = (optIn: boolean, caller = asService('messaging', id)) => lookup().setRecallOptOut({ id: guardian.id, optIn }, caller);
  await choose(false, s.asUser(id));
  expect(await optedOut()).toEqual([true, false]);
  expect(await choose(false)).toMatchObject({ id: guardian.id, recallOptedOut: true });
  expect(await optedOut()).toEqual([true, true]);
  await choose(true);
  expect(await optedOut()).toEqual([false, false]);
  const { rows } = await owner.query(
    `select payload->>'patientId' as patient from scheduling.outbox where clinic_id = $1 and subject like '%patient-updated' order by id`,
    [id],
  );
  expect(rows.map(({ patient }) => patient).toSorted()).toEqual([guardian.id, guardian.id, child.id, child.id].toSorted());
});

describe('an opt-out by chat of a phone that no patient has', () => {
  let id: string;
  let doctorId: string;
  beforeEach(async () => {
    const clinic = await s.clinic();
    id = clinic.id;
    doctorId = clinic.doctor.id;
  });
  const choose = (phone: string, optIn = false) => lookup().setRecallOptOut({ phone, optIn }, asService('messaging', id));
  const add = (phone: string, clinicId = id) => s.patients.createPatient({ fullName: 'Rosa', phone }, s.asUser(clinicId));

  test('applies to the patient who gets the phone, in this clinic only', async () => {
    const phones = Array.from({ length: 4 }, () => s.phone());
    const [added = '', booked = '', changed = '', other = ''] = phones;
    for (const phone of phones) expect((await choose(phone)).id).toBe('');
    expect(await add(added)).toMatchObject({ recallOptedOut: true });
    const { patientId } = await s.appointments.bookAppointment({ ...s.booking(doctorId, '08:00'), patientPhone: booked }, s.asUser(id));
    expect(await s.patients.getPatient({ id: patientId }, s.asUser(id))).toMatchObject({ recallOptedOut: true });
    const patient = await add(s.phone());
    expect(await s.patients.updatePatient({ id: patient.id, phone: changed }, s.asUser(id))).toMatchObject({ recallOptedOut: true });
    expect(await add(other, randomUUID())).toMatchObject({ recallOptedOut: false });
    const created = `select count(*)::int as n from scheduling.outbox where clinic_id = $1 and subject like '%patient-created' and payload->'patient'->>'recallOptedOut' = 'true'`;
    expect((await owner.query(created, [id])).rows).toEqual([{ n: 2 }]);
  });

  test('is undone when the phone opts in again, before or after it belongs to a patient', async () => {
    const phone = s.phone();
    await choose(phone);
    await choose(phone, true);
    const patient = await add(phone);
    expect(patient).toMatchObject({ recallOptedOut: false });
    expect(await choose(phone)).toMatchObject({ id: patient.id, recallOptedOut: true });
    expect(await choose(phone, true)).toMatchObject({ id: patient.id, recallOptedOut: false });
    await s.patients.updatePatient({ id: patient.id, phone: s.phone() }, s.asUser(id));
    expect(await add(phone)).toMatchObject({ recallOptedOut: false });
  });

  test('applies to a patient who is being added at the same time', async () => {
    const [patientId, phone] = [randomUUID(), s.phone()];
    await owner.query('begin');
    await owner.query(`insert into scheduling.patients (clinic_id, id, full_name, search_name, phone) values ($1, $2, 'Rosa', 'rosa', $3)`, [
      id,
      patientId,
      phone,
    ]);
    const choosing = choose(phone);
    await waitForLocked(s.service.database.ownerUrl);
    await owner.query('commit');
    expect(await choosing).toMatchObject({ id: patientId, recallOptedOut: true });
  });

  test('cannot be stored by a user', async () => {
    await expect(lookup().setRecallOptOut({ phone: s.phone() }, s.asUser(id))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });
});
