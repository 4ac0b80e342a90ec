// Online booking.
import { randomUUID } from 'node:crypto';
import { asSystem, rows, sql } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { asAnonymous, asOperator, asService } from '@clinic/lib/testing/callers.ts';
import { waitForLocked } from '@clinic/lib/testing/wait-for-locked.ts';
import { AuditService } from '@clinic/proto/common/v1/audit_pb.js';
import { AppointmentTypeService } from '@clinic/proto/scheduling/v1/appointment_type_pb.js';
import { SubjectService } from '@clinic/proto/scheduling/v1/data_subject_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import { ResourceService } from '@clinic/proto/scheduling/v1/resource_pb.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { everyDay, MONDAY, outcomes, type Scheduling, TUESDAY } from '../testing/clinic.ts';
import { locksDoctorFirst } from '../testing/lock-order.ts';
import { type OnlineBooking, patient, startOnlineBooking } from '../testing/online-booking.ts';
import { deleteOldRequests } from './booking-requests.sql.ts';

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

test('the page names the clinic, types that can be booked online and their doctors; other clinics are not found', async () => {
  const { id, slug, type, doctor } = await online.openClinic();
  const other = { name: 'Cirugía', durationMinutes: 60, color: '#112233', onlineBookable: false };
  await s.service.client(AppointmentTypeService).createAppointmentType(other, s.asAdmin(id));
  expect(await online.page().getBookableClinic({ slug }, patient)).toMatchObject({
    name: 'Sonrisa',
    address: 'Calle Arce 12',
    cancellationText: 'Avise antes',
    types: [{ id: type.id, doctorIds: [doctor.id] }],
    doctors: [{ id: doctor.id, fullName: 'Dra. Ana Rivas' }],
  });
  await s.doctors.updateDoctor({ id: doctor.id, onlineBookable: false }, s.asAdmin(id));
  expect(await online.page().getBookableClinic({ slug }, patient)).toMatchObject({ types: [], doctors: [] });
  const { slug: closed } = await online.openClinic({ features: [] });
  for (const unknown of ['nowhere', '', closed])
    await expect(online.page().getBookableClinic({ slug: unknown }, patient)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  const typeId = randomUUID();
  await expect(online.page().listBookableDays({ slug, typeId, month: '2026-06' }, patient)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
});

test('the times of all doctors are combined, and a doctor who is free gets the booking', async () => {
  const { id, slug, type, wanted, confirm } = await online.openClinic();
  await s.doctors.createDoctor({ fullName: 'Dr. Beto Cruz', workingHours: everyDay('11:30', '12:30') }, s.asAdmin(id));
  const { slots } = await online.page().listBookableSlots({ slug, typeId: type.id, date: TUESDAY }, patient);
  expect(slots.map(({ startTime }) => startTime)).toEqual(['08:00', '08:30', '09:00', '09:30', '10:00', '10:30', '11:00', '11:30', '12:00']);
  const { days } = await online.page().listBookableDays({ slug, typeId: type.id, month: '2026-06' }, patient);
  expect(days[1]).toMatchObject({ date: TUESDAY, free: slots.length });
  const begun = await Promise.all(['11:30', '11:30'].map((time) => online.page().beginBooking(wanted(time), patient)));
  expect(new Set(begun.map(({ doctorId }) => doctorId)).size).toBe(2);
  await expect(online.page().beginBooking(wanted('11:30'), patient)).rejects.toMatchObject({ reason: 'SLOT_TAKEN' });
  await expect(online.page().beginBooking(wanted('11:40'), patient)).rejects.toMatchObject({ reason: 'SLOT_UNAVAILABLE' });
  for (const { bookingId } of begun) expect(await confirm(bookingId)).toMatchObject({ status: 'confirmed' });
});

test('a booking with any doctor and one at the desk that need a chair do not deadlock', async () => {
  const { id, slug, doctor } = await online.openClinic();
  const other = await s.doctors.createDoctor({ fullName: 'Dr. Beto Cruz', workingHours: everyDay('08:00', '12:00') }, s.asAdmin(id));
  const resources = s.service.client(ResourceService);
  const chairs = await Promise.all(['Sillón 1', 'Sillón 2'].map((name) => resources.createResource({ name, kind: 'chair' }, s.asAdmin(id))));
  const lastChair = chairs.map((chair) => chair.id).sort()[1];
  const fields = { name: 'Corona', durationMinutes: 30, color: '#112233', onlineBookable: true, resourceKind: 'chair' };
  const { id: typeId } = await s.service.client(AppointmentTypeService).createAppointmentType(fields, s.asAdmin(id));
  const [first = '', second = ''] = [doctor.id, other.id].sort();
  await s.appointments.bookAppointment(s.booking(first, '09:00'), s.asUser(id));
  const { ownerUrl } = s.service.database;
  const holder = new pg.Client({ connectionString: ownerUrl });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from scheduling.resources where id = $1 for update', [lastChair]);
  const begun = online.page().beginBooking({ slug, typeId, date: TUESDAY, startTime: '09:00', name: 'Rosa Díaz', phone: s.phone() }, patient);
  await waitForLocked(ownerUrl, 1, '%for no key update%');
  const desk = s.appointments.bookAppointment({ ...s.booking(second, '10:00'), typeId }, s.asUser(id));
  await waitForLocked(ownerUrl, 2, '%for no key update%');
  await holder.query('rollback');
  await holder.end();
  expect(await outcomes([begun, desk])).toEqual({ answered: 2, refused: 0, reasons: [] });
  expect((await begun).doctorId).toBe(second);
});

test('a code books once, even when it is entered again; a repeated request is the same booking, and sends the code if the first one was interrupted', async () => {
  const { id, wanted, confirm, listed } = await online.openClinic();
  const request = wanted('09:00');
  const key = randomUUID();
  const call = asAnonymous({ key });
  online.messaging.channel = undefined;
  await expect(online.page().beginBooking(request, call)).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  online.messaging.channel = 'chat';
  const begun = await online.page().beginBooking(request, call);
  expect(begun).toMatchObject({ status: 'code_sent', channel: 'chat', date: TUESDAY, startTime: '09:00' });
  expect((await online.page().beginBooking(request, call)).bookingId).toBe(begun.bookingId);
  // A program of the clinic has its own keys.
  await s.patients.createPatient({ fullName: 'Ana López', phone: s.phone() }, s.asUser(id, { key }));
  const confirmed = await Promise.all([confirm(begun.bookingId), confirm(begun.bookingId)]);
  expect(confirmed.map(({ status }) => status)).toEqual(['confirmed', 'confirmed']);
  const { appointments } = await listed();
  expect(appointments).toMatchObject([{ status: 'confirmed', source: 'online', patients: { fullName: 'Rosa Díaz', phone: request.phone } }]);
  expect((await s.patients.listPatients({ search: request.phone, page: 1, limit: 10 }, s.asUser(id))).total).toBe(1);
});

test.each(['active', 'archived'])(
  'a phone that an %s patient has books for others too: the patient keeps the name, and the notes have the other one, unless it is a dependant',
  async (state) => {
    const { id, wanted, confirm, listed } = await online.openClinic();
    const phone = s.phone();
    const owner = await s.patients.createPatient({ fullName: 'Rosa Díaz', phone }, s.asUser(id));
    const child = await s.service.client(PatientFamilyService).createDependant({ id: owner.id, fullName: 'Ana Díaz' }, s.asUser(id));
    if (state === 'archived') await s.service.client(PatientFamilyService).archivePatient({ id: owner.id }, s.asAdmin(id));
    const book = async (startTime: string, name: string) =>
      confirm((await online.page().beginBooking({ ...wanted(startTime, phone), name, notes: 'dolor' }, patient)).bookingId);
    await book('09:00', 'Diego Escobar');
    await book('09:30', 'ana diaz');
    await book('10:00', 'Rosa  Díaz');
    const { appointments } = await listed();
    expect(appointments.map(({ patientId, notes }) => [patientId, notes])).toEqual([
      [owner.id, 'En línea, para: Diego Escobar\ndolor'],
      [child.id, 'dolor'],
      [owner.id, 'dolor'],
    ]);
    const { fullName, archivedAt } = await s.patients.getPatient({ id: owner.id }, s.asUser(id));
    expect([fullName, archivedAt]).toEqual(['Rosa Díaz', undefined]);
  },
);

test('after five wrong codes, or ten minutes, the slot is free again and the right code is refused', async () => {
  const { wanted, confirm, codeOf } = await online.openClinic();
  const { bookingId } = await online.page().beginBooking(wanted('09:00'), patient);
  const wrong = codeOf(bookingId) === '000000' ? '111111' : '000000';
  for (let count = 0; count < 5; count++) await expect(confirm(bookingId, wrong)).rejects.toMatchObject({ reason: 'INVALID_OTP' });
  await expect(confirm(bookingId)).rejects.toMatchObject({ reason: 'BOOKING_CLOSED' });
  const again = await online.page().beginBooking(wanted('09:00'), patient);
  s.clock.advance(10 * 60_000);
  await expect(confirm(again.bookingId)).rejects.toMatchObject({ reason: 'BOOKING_CLOSED' });
  expect(await online.page().beginBooking(wanted('09:00'), patient)).toMatchObject({ status: 'code_sent' });
});

test('a code for a type or a doctor that ceased to be offered meanwhile is answered like one for a slot that was taken', async () => {
  const { id, type, doctor, wanted, confirm } = await online.openClinic();
  const { bookingId } = await online.page().beginBooking(wanted('09:00'), patient);
  const types = s.service.client(AppointmentTypeService);
  const other = await s.doctors.createDoctor({ fullName: 'Dr. Beto Cruz', workingHours: everyDay('15:00', '16:00') }, s.asAdmin(id));
  await types.updateAppointmentType({ id: type.id, doctorIds: { ids: [other.id] } }, s.asAdmin(id));
  await expect(confirm(bookingId)).rejects.toMatchObject({ reason: 'SLOT_UNAVAILABLE' });
  await types.deleteAppointmentType({ id: type.id }, s.asAdmin(id));
  await expect(confirm(bookingId)).rejects.toMatchObject({ reason: 'SLOT_UNAVAILABLE' });
  await s.doctors.deactivateDoctor({ id: doctor.id }, s.asAdmin(id));
  await expect(confirm(bookingId)).rejects.toMatchObject({ reason: 'SLOT_UNAVAILABLE' });
});

test('a booking with a wrong phone says where its code was sent, and is replaced: its slot is free at once, and its code books nothing', async () => {
  const { wanted, confirm, listed } = await online.openClinic();
  const first = await online.page().beginBooking(wanted('09:00', '+50370001234'), patient);
  expect([first.channel, first.sentTo]).toEqual(['chat', '234']);
  online.messaging.channel = 'mail';
  const corrected = { ...wanted('09:00'), email: 'rosa@example.com', replaces: first.bookingId };
  const second = await online.page().beginBooking(corrected, patient);
  expect([second.channel, second.sentTo]).toEqual(['mail', 'r…@example.com']);
  await expect(confirm(first.bookingId)).rejects.toMatchObject({ reason: 'BOOKING_CLOSED' });
  expect(await confirm(second.bookingId)).toMatchObject({ status: 'pending' });
  // A booking that is not open is not changed, and one of another clinic does not exist here.
  const other = await online.openClinic();
  online.messaging.channel = 'chat';
  const foreign = await online.page().beginBooking(other.wanted('09:00'), patient);
  await online.page().beginBooking({ ...wanted('10:00'), replaces: second.bookingId }, patient);
  await online.page().beginBooking({ ...wanted('11:00'), replaces: foreign.bookingId }, patient);
  expect((await listed()).appointments).toMatchObject([{ startTime: '09:00:00', status: 'pending' }]);
  expect(await other.confirm(foreign.bookingId)).toMatchObject({ status: 'confirmed' });
  await expect(online.page().beginBooking({ ...wanted('11:00'), replaces: 'first' }, patient)).rejects.toMatchObject({ details: [{ path: 'replaces' }] });
});

test('without a proven phone the appointment is pending and belongs to no patient until the desk confirms it', async () => {
  const { id, wanted, confirm, listed } = await online.openClinic();
  const known = await s.patients.createPatient({ fullName: 'Ana López', phone: s.phone() }, s.asUser(id));
  online.messaging.channel = '';
  expect(await online.page().beginBooking(wanted('09:00', known.phone), patient)).toMatchObject({ status: 'pending' });
  online.messaging.channel = 'mail';
  const mailed = await online.page().beginBooking({ ...wanted('10:00', known.phone), email: 'rosa@example.com' }, patient);
  expect(mailed).toMatchObject({ status: 'code_sent', channel: 'mail' });
  expect(await confirm(mailed.bookingId)).toMatchObject({ status: 'pending' });
  const { appointments } = await listed('pending');
  const contacts = await Promise.all(
    appointments.map(({ id: one }) => s.service.client(LookupService).findAppointmentWithContact({ id: one }, asService('messaging', id))),
  );
  expect(contacts.map((one) => [one.reachablePhone, one.bookingEmail])).toEqual([
    [undefined, undefined],
    [undefined, 'rosa@example.com'],
  ]);
  expect(appointments.map(({ patients }) => patients)).toMatchObject([{ fullName: 'Rosa Díaz' }, { fullName: 'Rosa Díaz' }]);
  for (const { patientId, patients, requestedPhone } of appointments)
    expect([patientId === known.id, patients?.phone, requestedPhone]).toEqual([false, undefined, known.phone]);
  expect(await s.patients.getPatient({ id: known.id }, s.asUser(id))).toMatchObject({ fullName: 'Ana López' });
  expect((await s.patients.listPatients({ search: 'Rosa', page: 1, limit: 10 }, s.asUser(id))).total).toBe(0);
  const subject = async () => (await s.service.client(SubjectService).findSubject({ clinicId: id, patientId: known.id }, asOperator())).subject;
  const recordIds = appointments.map(({ patientId }) => patientId);
  expect(await subject()).toMatchObject({
    patientIds: [known.id, ...recordIds.toSorted()],
    phones: [known.phone],
    names: ['Ana López'],
    emails: ['rosa@example.com'],
  });

  const restore = s.service.client(PatientFamilyService).restorePatient({ id: appointments[1]?.patientId ?? '' }, s.asAdmin(id));
  await expect(restore).rejects.toMatchObject({ reason: 'NOT_FOUND' });

  const first = appointments[0]?.id ?? '';
  const confirmed = await s.appointments.updateAppointmentStatus({ id: first, status: 'confirmed' }, s.asUser(id));
  expect(confirmed).toMatchObject({ status: 'confirmed', patientId: known.id, patients: { id: known.id, fullName: 'Rosa Díaz', phone: known.phone } });
  expect(confirmed.requestedPhone).toBeUndefined();
  expect((await subject())?.patientIds.toSorted()).toEqual([known.id, ...recordIds].toSorted());
});

test('the e-mail address of a booking is stored until 30 days after the appointment, that of one that was not completed 30 days', async () => {
  const { id, wanted, confirm, listed } = await online.openClinic();
  online.messaging.channel = 'mail';
  const begin = (startTime: string) => online.page().beginBooking({ ...wanted(startTime), date: '2026-07-20', email: 'rosa@example.com' }, patient);
  const [booked] = [await begin('09:00'), await begin('10:00')];
  await confirm(booked.bookingId);
  const [appointment] = (await listed('pending')).appointments;
  const emailOf = async () =>
    (await s.service.client(LookupService).findAppointmentWithContact({ id: appointment?.id ?? '' }, asService('messaging', id))).bookingEmail;
  const purge = async (date: string) => {
    await asSystem(s.service.db, (tx) => deleteOldRequests(tx, new Date(date)));
    return asSystem(s.service.db, (tx) => rows(tx, sql('select id from booking_requests where clinic_id = $1'), [id]));
  };
  expect([(await purge('2026-06-01')).length, (await purge('2026-06-02')).length, await emailOf()]).toEqual([2, 1, 'rosa@example.com']);
  expect([(await purge('2026-07-20')).length, (await purge('2026-07-21')).length]).toEqual([1, 0]);
});

/** A known patient, and a pending request by someone who named the patient's phone. */
async function unprovenRequest() {
  const { id, doctor, wanted, listed } = await online.openClinic();
  const known = await s.patients.createPatient({ fullName: 'Ana López', phone: s.phone() }, s.asUser(id));
  online.messaging.channel = '';
  await online.page().beginBooking(wanted('09:00', known.phone), patient);
  const { appointments } = await listed('pending');
  const request = appointments[0] ?? fail('NOT_FOUND');
  const setStatus = (status: string) => s.appointments.updateAppointmentStatus({ id: request.id, status }, s.asUser(id));
  const noShows = async (patientId: string) => (await s.patients.getPatient({ id: patientId }, s.asUser(id))).noShowCount;
  return { id, doctor, known, request, setStatus, noShows };
}

describe('what the desk has written into the record of a request', () => {
  const DETAILS = { dui: '01234567-8', email: 'rosa@example.com', birthDate: '1990-05-04', gender: 'female', address: 'Santa Tecla', notes: 'alérgica' };
  const update = (id: string, patientId: string, change: object) => s.patients.updatePatient({ id: patientId, ...change }, s.asUser(id));

  test.each([
    ['confirmed', 'archived'],
    ['completed', 'restored'],
  ])('a phone: when the request is %s, the record, which is %s, becomes the patient', async (status, state) => {
    const { id, known, request, setStatus } = await unprovenRequest();
    const phone = s.phone(); // the requested one was misspelled
    await update(id, request.patientId, { ...DETAILS, phone });
    if (state === 'restored') await s.service.client(PatientFamilyService).restorePatient({ id: request.patientId }, s.asAdmin(id));
    const { subject } = await s.service.client(SubjectService).findSubject({ clinicId: id, patientId: known.id }, asOperator());
    expect(subject?.patientIds).toEqual([known.id]); // an erasure of the patient with the requested phone does not erase the record
    const changed = await setStatus(status);
    expect(changed).toMatchObject({ status, patientId: request.patientId, patients: { fullName: 'Rosa Díaz', phone } });
    expect(changed.requestedPhone).toBeUndefined();
    expect(await s.appointments.getAppointment({ id: request.id }, s.asUser(id))).toEqual(changed);
    const patient = await s.patients.getPatient({ id: request.patientId }, s.asUser(id));
    expect(patient).toMatchObject({ ...DETAILS, phone });
    expect(patient.archivedAt).toBeUndefined();
    expect(await s.published(id, 'patients-merged')).toEqual([]);
    const { entries } = await s.service.client(AuditService).listAuditEntries({ entityId: patient.id, limit: 10 }, s.asAdmin(id));
    expect(JSON.stringify(entries.map(({ changes }) => changes))).not.toContain(known.phone);
  });

  test('without a phone: it fills the empty fields of the patient', async () => {
    const { id, known, request, setStatus } = await unprovenRequest();
    await update(id, known.id, { address: 'La Libertad' });
    await update(id, request.patientId, DETAILS);
    await setStatus('confirmed');
    expect(await s.patients.getPatient({ id: known.id }, s.asUser(id))).toMatchObject({ ...DETAILS, address: 'La Libertad', phone: known.phone });
  });
});

test('a request that the desk completes without confirming it gets its patient', async () => {
  const { id, known, request, setStatus } = await unprovenRequest();
  const completed = await setStatus('completed');
  expect(completed).toMatchObject({ status: 'completed', patientId: known.id, patients: { id: known.id, fullName: 'Rosa Díaz', phone: known.phone } });
  expect(completed.requestedPhone).toBeUndefined();
  expect(await s.appointments.getAppointment({ id: request.id }, s.asUser(id))).toEqual(completed);
});

test('a request that gets its patient publishes the merge of its record, which other services follow', async () => {
  const { id, known, request, setStatus } = await unprovenRequest();
  await setStatus('completed');
  await setStatus('cancelled');
  await setStatus('confirmed');
  expect(await s.published(id, 'patients-merged')).toEqual([{ mergeId: expect.any(String), keptId: known.id, mergedId: request.patientId }]);
});

test('a missed request does not count for the patient who has the unproven phone', async () => {
  const { known, request, setStatus, noShows } = await unprovenRequest();
  const missed = await setStatus('no_show');
  expect(missed).toMatchObject({ status: 'no_show', patientId: request.patientId, requestedPhone: known.phone });
  expect([await noShows(known.id), await noShows(request.patientId)]).toEqual([0, 1]);
  expect(await setStatus('completed')).toMatchObject({ status: 'completed', patientId: known.id });
  expect([await noShows(known.id), await noShows(request.patientId)]).toEqual([0, 0]);
});

test.each(['confirmed', 'completed'])('a request that becomes %s locks the calendar of its doctor before its patient', async (status) => {
  const { doctor, known, setStatus } = await unprovenRequest();
  expect(await locksDoctorFirst(s.service.database.ownerUrl, doctor.id, known.id, () => setStatus(status))).toBe(true);
});

test('confirmations of requests and merges of the guardians of the patients who have the phones do not deadlock', async () => {
  const { id, wanted, listed } = await online.openClinic();
  const family = s.service.client(PatientFamilyService);
  online.messaging.channel = '';
  const add = (fullName: string) => s.patients.createPatient({ fullName, phone: s.phone() }, s.asUser(id));
  const times = ['08:00', '08:30', '09:00', '09:30', '10:00', '10:30', '11:00', '11:30'];
  const ends = async (date: string, undo: boolean) => {
    const families = await Promise.all(
      times.map(async (time) => {
        const [keep, guardian] = [await add('Eva Luna'), await add('Eva Luna')];
        const { id: ownerId } = await family.createDependant({ id: guardian.id, fullName: 'Ana López' }, s.asUser(id));
        const { phone } = await s.patients.updatePatient({ id: ownerId, phone: s.phone() }, s.asUser(id));
        await online.page().beginBooking({ ...wanted(time, phone), date }, patient);
        const merge = () => family.mergePatients({ keepId: keep.id, mergeId: guardian.id }, s.asAdmin(id));
        const merged = undo ? await merge() : undefined;
        return { phone, ownerId, change: () => (merged ? family.undoMerge({ id: merged.id }, s.asAdmin(id)) : merge()) };
      }),
    );
    const requests = (await listed('pending')).appointments;
    for (const { patientId } of requests) await s.patients.updatePatient({ id: patientId, email: 'rosa@example.com' }, s.asUser(id));
    const confirmed = requests.map((request) => s.appointments.updateAppointmentStatus({ id: request.id, status: 'confirmed' }, s.asUser(id)));
    const changed = families.map(({ change }) => change());
    expect(await outcomes([...confirmed, ...changed])).toEqual({ answered: 2 * times.length, refused: 0, reasons: [] });
    const owners = (await Promise.all(confirmed)).map(({ patientId }) => patientId);
    expect(owners.toSorted()).toEqual(families.map(({ ownerId }) => ownerId).toSorted());
  };
  await ends(TUESDAY, false);
  await ends('2026-06-03', true);
});

test.each(['confirmed', 'completed'])('a request that becomes %s does not lock the guardian of the patient who has the phone', async (status) => {
  const { id, known, request, setStatus } = await unprovenRequest();
  const family = s.service.client(PatientFamilyService);
  const guardian = await s.patients.createPatient({ fullName: 'Eva Luna', phone: s.phone() }, s.asUser(id));
  const child = await family.createDependant({ id: guardian.id, fullName: 'Ana López' }, s.asUser(id));
  await s.patients.updatePatient({ id: known.id, phone: s.phone() }, s.asUser(id));
  await s.patients.updatePatient({ id: child.id, phone: known.phone }, s.asUser(id));
  await s.patients.updatePatient({ id: request.patientId, email: 'rosa@example.com', dui: '01234567-8' }, s.asUser(id));
  const holder = new pg.Client({ connectionString: s.service.database.ownerUrl });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from scheduling.patients where id = $1 for update', [guardian.id]);
  const { reasons } = await outcomes([setStatus(status)]);
  await holder.query('rollback');
  await holder.end();
  expect(reasons).toEqual([]);
  expect(await s.patients.getPatient({ id: child.id }, s.asUser(id))).toMatchObject({ fullName: 'Rosa Díaz', email: 'rosa@example.com', dui: '01234567-8' });
});

test('a clinic gets at most twenty appointments with unproven phones a day', async () => {
  const { id, wanted } = await online.openClinic();
  await s.doctors.createDoctor({ fullName: 'Dr. Beto Cruz', workingHours: everyDay('13:00', '23:30') }, s.asAdmin(id));
  online.messaging.channel = '';
  const times = [...Array(24)].map(
    (_, index) => `${String(index < 8 ? 8 + Math.floor(index / 2) : 9 + Math.floor(index / 2)).padStart(2, '0')}:${index % 2 ? '30' : '00'}`,
  );
  for (const time of times.slice(0, 20)) expect(await online.page().beginBooking(wanted(time), patient)).toMatchObject({ status: 'pending' });
  await expect(online.page().beginBooking(wanted(times[20] ?? ''), patient)).rejects.toMatchObject({ reason: 'BOOKING_AT_DESK' });
});

test('a patient with too many no-shows books at the desk, which only the code reveals', async () => {
  const { id, doctor, wanted, confirm } = await online.openClinic({ noShowLimit: 1 });
  const { id: missed, patients } = await s.appointments.bookAppointment(s.booking(doctor.id, '08:00'), s.asUser(id));
  await s.appointments.updateAppointmentStatus({ id: missed, status: 'no_show' }, s.asUser(id));
  const { bookingId, status } = await online.page().beginBooking({ ...wanted('10:00', patients?.phone), name: 'Otro Nombre' }, patient);
  expect(status).toBe('code_sent');
  await expect(confirm(bookingId)).rejects.toMatchObject({ reason: 'BOOKING_AT_DESK' });
  expect((await s.patients.getPatient({ id: patients?.id ?? '' }, s.asUser(id))).fullName).toBe('Luis Pérez');
});

test('every fault of the entered details is reported at once, and a name needs a letter', async () => {
  const { wanted } = await online.openClinic();
  const begin = (details: object) => online.page().beginBooking({ ...wanted('09:00'), ...details }, patient);
  await expect(begin({ name: ' ', phone: '12', email: 'xx' })).rejects.toMatchObject({
    reason: 'VALIDATION_ERROR',
    details: ['name', 'phone', 'email'].map((path) => ({ path })),
  });
  for (const name of ['12345', '12345 <b>']) await expect(begin({ name })).rejects.toMatchObject({ details: [{ path: 'name' }] });
  expect(await begin({ name: 'Ñ' })).toMatchObject({ status: 'code_sent' });
});

test('a read-only clinic has nothing to book, and a booking is refused for a while', async () => {
  const { id, slug, wanted } = await online.openClinic();
  const clinic = online.clinics.get(id) ?? {};
  online.clinics.set(slug, { ...clinic, readOnly: true });
  expect(await online.page().getBookableClinic({ slug }, patient)).toMatchObject({ types: [], doctors: [] });
  await expect(online.page().beginBooking(wanted('09:00'), patient)).rejects.toMatchObject({
    reason: 'READ_ONLY',
    details: [{ path: 'retry_after', message: '60' }],
  });
});

test.each([
  ['phone', { phone: '+50371112222' }],
  ['e-mail address', { email: 'rosa@example.com' }],
])('with one %s five bookings can be begun in an hour', async (_, person) => {
  const { wanted } = await online.openClinic();
  for (const time of ['08:00', '08:30', '09:00', '09:30', '10:00']) await online.page().beginBooking({ ...wanted(time), ...person }, patient);
  await expect(online.page().beginBooking({ ...wanted('10:30'), ...person }, patient)).rejects.toMatchObject({ reason: 'RATE_LIMITED' });
  expect(await online.page().beginBooking({ ...wanted('10:30'), email: 'ana@example.com' }, patient)).toMatchObject({ status: 'code_sent' });
});

test('when forty people request eight times concurrently, eight get a booking and the others are refused', async () => {
  const { wanted, confirm, listed } = await online.openClinic();
  const times = ['08:00', '08:30', '09:00', '09:30', '10:00', '10:30', '11:00', '11:30'];
  const booked = Array.from({ length: 40 }, async (_, index) => confirm((await online.page().beginBooking(wanted(times[index % 8] ?? ''), patient)).bookingId));
  const { reasons, ...counts } = await outcomes(booked);
  expect(counts).toEqual({ answered: 8, refused: 32 });
  // On a slow machine some have to retry later.
  expect(reasons.filter((reason) => reason !== 'UNAVAILABLE')).toEqual(['SLOT_TAKEN']);
  expect((await listed('confirmed')).total).toBe(8);
});
