// Appointments of different lengths, with chairs and rooms.
import { randomUUID } from 'node:crypto';
import { AppointmentSeriesService } from '@clinic/proto/scheduling/v1/appointment_series_pb.js';
import { AppointmentTypeService } from '@clinic/proto/scheduling/v1/appointment_type_pb.js';
import { ResourceService } from '@clinic/proto/scheduling/v1/resource_pb.js';
import { SlotDraftService } from '@clinic/proto/scheduling/v1/slot_draft_pb.js';
import { WaitlistService } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { everyDay, MONDAY, outcomes, type Scheduling, startScheduling, TUESDAY } from '../testing/clinic.ts';

let s: Scheduling;
beforeAll(async () => {
  s = await startScheduling();
});
beforeEach(() => s.clock.set(MONDAY));
afterAll(() => s.service.stop());

const types = () => s.service.client(AppointmentTypeService);
const resources = () => s.service.client(ResourceService);
const cleaning = { name: 'Limpieza', durationMinutes: 45, color: '#2e7d32' };
const addType = (id: string, fields: object = {}) => types().createAppointmentType({ ...cleaning, name: `Limpieza ${randomUUID()}`, ...fields }, s.asAdmin(id));
const addChair = (id: string, name = `Sillón ${randomUUID()}`) => resources().createResource({ name, kind: 'chair' }, s.asAdmin(id));
const starts = async (id: string, doctorId: string, needs: object) =>
  (await s.doctors.listSlots({ doctorId, date: TUESDAY, ...needs }, s.asUser(id))).slots.map(({ startTime }) => startTime);
const book = (id: string, doctorId: string, startTime: string, more: object = {}) =>
  s.appointments.bookAppointment({ ...s.booking(doctorId, startTime), ...more }, s.asUser(id));
const addDoctor = (id: string) => s.doctors.createDoctor({ fullName: 'Dr. Juan Paz', workingHours: everyDay('08:00', '12:00') }, s.asAdmin(id));

test('doctors, types and resources are listed as people sort names', async () => {
  const id = randomUUID();
  const names = ['Álvarez', 'beto', 'Ñandú', 'Nuñez', 'Zúñiga'];
  for (const name of names.toReversed()) {
    await s.doctors.createDoctor({ fullName: name }, s.asAdmin(id));
    await addType(id, { name });
    await addChair(id, name);
  }
  const lists = await Promise.all([
    s.doctors.listDoctors({}, s.asUser(id)).then(({ doctors }) => doctors.map(({ fullName }) => fullName)),
    types()
      .listAppointmentTypes({ page: 1, limit: 50 }, s.asUser(id))
      .then((list) => list.appointmentTypes.map(({ name }) => name)),
    resources()
      .listResources({ page: 1, limit: 50 }, s.asUser(id))
      .then((list) => list.resources.map(({ name }) => name)),
  ]);
  expect(lists).toEqual([names, names, names]);
});

test('a type is created, changed and deleted; appointments keep it', async () => {
  const { id, doctor } = await s.clinic();
  const created = await types().createAppointmentType({ ...cleaning, doctorIds: [doctor.id], onlineBookable: true }, s.asAdmin(id));
  expect(created).toMatchObject({ ...cleaning, color: '#2E7D32', doctorIds: [doctor.id], onlineBookable: true });
  await expect(types().createAppointmentType({ ...cleaning, name: 'LIMPIEZA' }, s.asAdmin(id))).rejects.toMatchObject({ reason: 'APPOINTMENT_TYPE_EXISTS' });
  const other = await s.clinic();
  for (const doctorIds of [[other.doctor.id], [randomUUID()]]) await expect(addType(id, { doctorIds })).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  const booked = await book(id, doctor.id, '08:00', { typeId: created.id });
  expect(booked).toMatchObject({ endTime: '08:45:00', durationMinutes: 45, appointmentTypes: { id: created.id, name: 'Limpieza', color: '#2E7D32' } });
  const changed = await types().updateAppointmentType({ id: created.id, durationMinutes: 60, doctorIds: { ids: [] } }, s.asAdmin(id));
  expect(changed).toMatchObject({ name: 'Limpieza', durationMinutes: 60, doctorIds: [], onlineBookable: true });
  await types().deleteAppointmentType({ id: created.id }, s.asAdmin(id));
  expect((await types().listAppointmentTypes({}, s.asUser(id))).appointmentTypes).toEqual([]);
  await expect(book(id, doctor.id, '09:00', { typeId: created.id })).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  const stored = await s.appointments.getAppointment({ id: booked.id }, s.asUser(id));
  expect(stored).toMatchObject({ endTime: '08:45:00', appointmentTypes: { name: 'Limpieza' } });
  expect(await s.appointments.rescheduleAppointment({ id: booked.id, appointmentDate: TUESDAY, startTime: '10:00' }, s.asUser(id))).toMatchObject({
    endTime: '10:45:00',
    appointmentTypes: { name: 'Limpieza' },
  });
  await expect(book(other.id, other.doctor.id, '08:00', { typeId: created.id })).rejects.toMatchObject({ reason: 'NOT_FOUND' });
});

test('a type or a resource that is sent back unchanged stays as it was', async () => {
  const { id, doctor } = await s.clinic();
  const type = await addType(id, { doctorIds: [doctor.id] });
  const { name, durationMinutes, color } = type;
  expect(await types().updateAppointmentType({ id: type.id, name, durationMinutes, color, doctorIds: { ids: [doctor.id] } }, s.asAdmin(id))).toEqual(type);
  const chair = await addChair(id);
  expect(await resources().updateResource({ id: chair.id, name: chair.name }, s.asAdmin(id))).toEqual(chair);
  const owner = new pg.Client({ connectionString: s.service.database.ownerUrl });
  await owner.connect();
  const { rows } = await owner.query('select action from scheduling.audit_log where entity_id in ($1, $2) order by id', [type.id, chair.id]);
  await owner.end();
  expect(rows.map(({ action }) => action)).toEqual(['appointment_type.created', 'resource.created']);
});

test('lists are filtered by doctor and by what patients can book', async () => {
  const { id, doctor } = await s.clinic();
  const second = await addDoctor(id);
  const own = await addType(id, { doctorIds: [second.id] });
  const open = await addType(id, { onlineBookable: true });
  const ids = async (filter: object) => (await types().listAppointmentTypes(filter, s.asUser(id))).appointmentTypes.map((type) => type.id).sort();
  expect(await ids({ doctorId: doctor.id })).toEqual([open.id]);
  expect(await ids({ doctorId: second.id })).toEqual([own.id, open.id].sort());
  expect(await ids({ onlineBookable: true })).toEqual([open.id]);
  await expect(book(id, doctor.id, '08:00', { typeId: own.id })).rejects.toMatchObject({ reason: 'VALIDATION_ERROR' });
  await expect(starts(id, doctor.id, { typeId: own.id })).rejects.toMatchObject({ reason: 'VALIDATION_ERROR' });
});

test('an unknown doctor is reported rather than a type that the doctor does not offer', async () => {
  const { id, doctor } = await s.clinic();
  const second = await addDoctor(id);
  const elsewhere = await s.clinic();
  const { id: typeId } = await addType(id, { doctorIds: [doctor.id] });
  const booked = await book(id, doctor.id, '08:00', { typeId });
  const wanted = { appointmentDate: TUESDAY, startTime: '09:00', typeId };
  const patient = { patientName: 'Luis Pérez', patientPhone: s.phone() };
  const series = { ...wanted, ...patient, every: { weeks: 1 }, count: 2 };
  const attempts: ((doctorId: string) => Promise<unknown>)[] = [
    (doctorId) => book(id, doctorId, '09:00', { typeId }),
    (doctorId) => s.service.client(SlotDraftService).createSlotDraft({ doctorId, ...wanted }, s.asUser(id)),
    (doctorId) => s.service.client(AppointmentSeriesService).bookSeries({ doctorId, ...series }, s.asUser(id)),
    (doctorId) => s.appointments.rescheduleAppointment({ id: booked.id, doctorId, ...wanted }, s.asUser(id)),
    (doctorId) => s.service.client(WaitlistService).joinWaitlist({ doctorId, ...patient, typeId, dateFrom: TUESDAY, dateTo: TUESDAY }, s.asUser(id)),
    (doctorId) => s.doctors.listSlots({ doctorId, date: TUESDAY, typeId }, s.asUser(id)),
  ];
  for (const attempt of attempts) {
    for (const doctorId of [randomUUID(), elsewhere.doctor.id])
      await expect(attempt(doctorId)).rejects.toMatchObject({ reason: 'NOT_FOUND', message: 'Doctor not found' });
    await expect(attempt(second.id)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR' });
  }
});

test('every listed start books and no other does, for any mix of lengths, drafts and chairs', async () => {
  const { id, doctor } = await s.clinic();
  const second = await addDoctor(id);
  await addChair(id);
  const withChair = await addType(id, { durationMinutes: 40, resourceKind: 'chair' });
  const without = await addType(id, { durationMinutes: 75 });
  const needs = fc.constantFrom<object>({}, { durationMinutes: 5 }, { durationMinutes: 95 }, { typeId: withChair.id }, { typeId: without.id });
  const step = fc.record({ needs, second: fc.boolean(), index: fc.nat(20), hold: fc.boolean(), wrong: fc.integer({ min: 8 * 60, max: 12 * 60 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      const { appointments } = await s.appointments.listAppointments({ limit: 500 }, s.asUser(id));
      for (const one of appointments) await s.appointments.updateAppointmentStatus({ id: one.id, status: 'cancelled' }, s.asUser(id));
      s.clock.set(new Date(s.clock.now().getTime() + 6 * 60_000)); // drafts expire
      for (const { needs: wanted, second: atSecond, index, hold, wrong } of steps) {
        const doctorId = atSecond ? second.id : doctor.id;
        const listed = await starts(id, doctorId, wanted);
        const { days } = await s.doctors.listAvailability({ doctorId, month: TUESDAY.slice(0, 7), ...wanted }, s.asUser(id));
        expect(days.find(({ date }) => date === TUESDAY)?.free).toBe(listed.length);
        const other = `${String(Math.floor(wrong / 60)).padStart(2, '0')}:${String(wrong % 60).padStart(2, '0')}`;
        if (!listed.includes(other)) await expect(book(id, doctorId, other, wanted)).rejects.toMatchObject({ reason: expect.stringMatching(/^SLOT_/) });
        const startTime = listed[index % Math.max(1, listed.length)];
        if (!startTime) continue;
        if (hold) await s.service.client(SlotDraftService).createSlotDraft({ doctorId, appointmentDate: TUESDAY, startTime, ...wanted }, s.asUser(id));
        else await book(id, doctorId, startTime, wanted);
      }
    }),
    { numRuns: 12 },
  );
});

test('two appointments never have the same chair at once', async () => {
  const { id } = await s.clinic();
  const doctors = await Promise.all(Array.from({ length: 12 }, () => addDoctor(id)));
  const chairs = await Promise.all([addChair(id), addChair(id)]);
  const type = await addType(id, { durationMinutes: 30, resourceKind: 'chair' });
  const raced = await outcomes(doctors.map((doctor) => book(id, doctor.id, '09:00', { typeId: type.id })));
  expect(raced).toEqual({ answered: 2, refused: 10, reasons: ['SLOT_TAKEN'] });
  const { appointments } = await s.appointments.listAppointments({ date: TUESDAY, typeId: type.id }, s.asUser(id));
  expect(appointments.map(({ resources: one }) => one?.id).sort()).toEqual(chairs.map((chair) => chair.id).sort());
  const [first, ...rest] = appointments;
  expect(rest).toHaveLength(1);
  await s.appointments.updateAppointmentStatus({ id: first?.id ?? '', status: 'cancelled' }, s.asUser(id));
  const free = doctors.find(({ id: doctorId }) => !appointments.some((one) => one.doctorId === doctorId))?.id ?? '';
  const taken = await book(id, free, '09:00', { typeId: type.id });
  expect(taken.resources?.id).toBe(first?.resources?.id);
  await expect(s.appointments.updateAppointmentStatus({ id: first?.id ?? '', status: 'confirmed' }, s.asUser(id))).rejects.toMatchObject({
    reason: 'SLOT_TAKEN',
  });
});

test('a chair can be requested, stays the same after a move when it is free, and follows a change of the type', async () => {
  const { id, doctor } = await s.clinic();
  const second = await addDoctor(id);
  const [one, two] = [await addChair(id, 'Sillón 1'), await addChair(id, 'Sillón 2')];
  const type = await addType(id, { durationMinutes: 30, resourceKind: 'chair' });
  const booked = await book(id, doctor.id, '08:00', { typeId: type.id, resourceId: two.id });
  expect(booked.resources).toMatchObject({ id: two.id, name: 'Sillón 2', kind: 'chair' });
  const move = (to: object) => s.appointments.rescheduleAppointment({ id: booked.id, appointmentDate: TUESDAY, ...to }, s.asUser(id));
  expect((await move({ startTime: '09:00' })).resources?.id).toBe(two.id);
  await book(id, second.id, '10:00', { resourceId: two.id });
  expect((await move({ startTime: '10:00' })).resources?.id).toBe(one.id);
  expect(await move({ startTime: '10:00', durationMinutes: 60 })).toMatchObject({ endTime: '11:00:00', durationMinutes: 60 });
  await expect(book(id, second.id, '10:30', { resourceId: one.id })).rejects.toMatchObject({ reason: 'SLOT_TAKEN' });
  await expect(book(id, second.id, '11:00', { resourceId: randomUUID() })).rejects.toMatchObject({ reason: 'NOT_FOUND' });

  const plain = await book(id, second.id, '08:00');
  const update = (changes: object) => s.appointments.updateAppointment({ id: plain.id, ...changes }, s.asUser(id));
  expect(await update({ typeId: type.id })).toMatchObject({ appointmentTypes: { id: type.id }, resources: { id: one.id }, endTime: '08:30:00' });
  const cleared = await update({ typeId: '' });
  expect(cleared.appointmentTypes).toBeUndefined();
});

test('a move takes the requested chair or room, which must be of the kind that the type needs', async () => {
  const { id, doctor } = await s.clinic();
  const chair = await addChair(id);
  const room = await resources().createResource({ name: 'Sala', kind: 'room' }, s.asAdmin(id));
  const typed = await addType(id, { durationMinutes: 30, resourceKind: 'chair' });
  const move = (appointment: { id: string }, startTime: string, resourceId: string) =>
    s.appointments.rescheduleAppointment({ id: appointment.id, appointmentDate: TUESDAY, startTime, resourceId }, s.asUser(id));
  const plain = await book(id, doctor.id, '08:00', { resourceId: chair.id });
  expect((await move(plain, '09:00', room.id)).resources).toMatchObject({ id: room.id, kind: 'room' });
  expect((await move(plain, '08:00', chair.id)).resources?.id).toBe(chair.id);
  const needing = await book(id, doctor.id, '10:00', { typeId: typed.id });
  await expect(move(needing, '11:00', room.id)).rejects.toMatchObject({ reason: 'VALIDATION_ERROR' });
  expect((await move(needing, '11:00', chair.id)).resources?.id).toBe(chair.id);
});

test('a draft holds its chair for the booking that redeems it', async () => {
  const { id, doctor } = await s.clinic();
  const second = await addDoctor(id);
  await addChair(id);
  const type = await addType(id, { durationMinutes: 60, resourceKind: 'chair' });
  const wish = { appointmentDate: TUESDAY, startTime: '08:00', typeId: type.id };
  const draft = await s.service.client(SlotDraftService).createSlotDraft({ doctorId: doctor.id, ...wish }, s.asUser(id));
  expect(await starts(id, second.id, { typeId: type.id })).not.toContain('08:30');
  await expect(book(id, second.id, '08:30', { typeId: type.id })).rejects.toMatchObject({ reason: 'SLOT_TAKEN' });
  expect((await book(id, doctor.id, '08:00', { typeId: type.id, slotDraftId: draft.id })).resources).toBeDefined();
});

test('a user who requests the same slot with another chair does not get the draft of the first chair', async () => {
  const { id, doctor } = await s.clinic();
  const [one, two] = [await addChair(id), await addChair(id)];
  const caller = s.asUser(id, { userId: randomUUID() });
  const hold = (more: object = {}) =>
    s.service.client(SlotDraftService).createSlotDraft({ doctorId: doctor.id, appointmentDate: TUESDAY, startTime: '08:00', ...more }, caller);
  const { id: draftId } = await hold({ resourceId: one.id });
  expect((await hold({ resourceId: one.id })).id).toBe(draftId);
  expect((await hold()).id).toBe(draftId);
  await expect(hold({ resourceId: two.id })).rejects.toMatchObject({ reason: 'SLOT_TAKEN' });
});

test('a freed slot is offered to the first entry whose type and length fit into it', async () => {
  const { id, doctor } = await s.clinic();
  const long = await addType(id, { durationMinutes: 120 });
  const short = await addType(id, { durationMinutes: 15 });
  const waitlist = s.service.client(WaitlistService);
  const wait = (typeId: string) =>
    waitlist.joinWaitlist({ patientName: 'Eva Luna', patientPhone: s.phone(), dateFrom: TUESDAY, dateTo: TUESDAY, typeId }, s.asUser(id));
  const freed = await book(id, doctor.id, '08:00');
  await book(id, doctor.id, '08:30');
  const [first, second] = [await wait(long.id), await wait(short.id)];
  await s.appointments.updateAppointmentStatus({ id: freed.id, status: 'cancelled' }, s.asUser(id));
  const { entries } = await waitlist.listWaitlist({}, s.asUser(id));
  expect(entries.find((entry) => entry.id === first.id)).toMatchObject({ status: 'waiting', typeId: long.id });
  expect(entries.find((entry) => entry.id === second.id)?.offer).toMatchObject({ startTime: '08:00:00', endTime: '08:15:00' });
  expect(await waitlist.acceptOffer({ id: second.id }, s.asUser(id))).toMatchObject({ endTime: '08:15:00', appointmentTypes: { id: short.id } });
});
