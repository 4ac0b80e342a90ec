// Series: the preview shows what the booking does, and a series is moved or cancelled from a date on.

import { waitForLocked } from '@clinic/lib/testing/wait-for-locked.ts';
import { AppointmentSeriesService } from '@clinic/proto/scheduling/v1/appointment_series_pb.js';
import { ResourceService } from '@clinic/proto/scheduling/v1/resource_pb.js';
import { WaitlistService } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { everyDay, type Scheduling, startScheduling } from '../testing/clinic.ts';
import { closest, datesOf } from './series-rules.ts';

let s: Scheduling;
beforeAll(async () => {
  s = await startScheduling();
});
afterAll(() => s.service.stop());

const client = () => s.service.client(AppointmentSeriesService);
const DATES = ['2026-06-02', '2026-06-16', '2026-06-30'] as const;
const seriesOf = (doctorId: string) => ({ ...s.booking(doctorId, '09:00'), every: { weeks: 2 }, count: 3 });
const datesBooked = (appointments: { appointmentDate: string }[]) => appointments.map(({ appointmentDate }) => appointmentDate);

test('dates and alternatives', () => {
  expect(datesOf('2026-12-29', 1, 3)).toEqual(['2026-12-29', '2027-01-05', '2027-01-12']);
  const slots = ['08:00', '08:30', '09:30', '10:30', '12:00'].map((startTime, start) => ({ start, startTime }));
  expect(closest(slots, '09:20').map(({ startTime }) => startTime)).toEqual(['08:30', '09:30', '10:30']);
});

test('the preview shows what the booking then books and refuses, with the closest slots', async () => {
  const { id, doctor } = await s.clinic();
  await s.appointments.bookAppointment(s.booking(doctor.id, '09:00', DATES[1]), s.asUser(id));
  await s.doctors.createVacation({ doctorId: doctor.id, startDate: DATES[2], endDate: DATES[2] }, s.asAdmin(id));
  const { every: _, ...request } = seriesOf(doctor.id);
  const expected = [
    { date: DATES[1], reason: 'SLOT_TAKEN', alternatives: ['08:00', '08:30', '09:30'].map((startTime) => ({ date: DATES[1], startTime })) },
    {
      date: DATES[2],
      reason: 'SLOT_UNAVAILABLE',
      alternatives: [
        { date: '2026-06-29', startTime: '08:30' },
        { date: '2026-06-29', startTime: '09:00' },
        { date: '2026-07-01', startTime: '09:00' },
      ],
    },
  ];
  const preview = await client().previewSeries({ ...request, weeks: 2 }, s.asUser(id));
  expect(preview).toMatchObject({ free: [{ date: DATES[0], startTime: '09:00', endTime: '09:30' }], refused: expected });

  const booked = await client().bookSeries(seriesOf(doctor.id), s.asUser(id));
  expect(booked).toMatchObject({ booked: [{ appointmentDate: DATES[0], seriesId: booked.id, source: 'manual' }], refused: expected });
  for (const { date, startTime } of expected.flatMap(({ alternatives }) => alternatives.slice(1, 2)))
    await s.appointments.bookAppointment(s.booking(doctor.id, startTime, date), s.asUser(id));
});

test('a repeated request books once; all or nothing books nothing when one is refused; nothing free is a conflict', async () => {
  const { id, doctor } = await s.clinic();
  const request = seriesOf(doctor.id);
  const first = await client().bookSeries(request, s.asUser(id, { key: 'k' }));
  expect(await client().bookSeries(request, s.asUser(id, { key: 'k' }))).toEqual(first);
  expect(datesBooked(first.booked)).toEqual(DATES);
  const overlapping = { ...request, appointmentDate: '2026-05-19', count: 4 }; // the first date is past
  await expect(client().bookSeries(overlapping, s.asUser(id))).rejects.toMatchObject({ reason: 'SLOT_TAKEN' });
  const half = { ...request, appointmentDate: '2026-06-30', allOrNothing: true };
  await expect(client().bookSeries(half, s.asUser(id))).rejects.toMatchObject({
    reason: 'SLOT_TAKEN',
    details: [{ path: '2026-06-30', message: 'SLOT_TAKEN' }],
  });
  const list = () => s.appointments.listAppointments({ seriesId: first.id }, s.asUser(id));
  expect(await list()).toMatchObject({ total: 3 });
  expect(await s.appointments.listAppointments({ doctorId: doctor.id }, s.asUser(id))).toMatchObject({ total: 3 });
  for (const wrong of [{ count: 1 }, { every: { weeks: 0 } }, { every: { weeks: 52 }, count: 4 }])
    await expect(client().bookSeries({ ...request, ...wrong }, s.asUser(id))).rejects.toMatchObject({ reason: 'VALIDATION_ERROR' });
  await expect(client().bookSeries({ ...request, appointmentDate: '2030-01-01' }, s.asUser(id))).rejects.toMatchObject({
    details: [{ path: 'appointmentDate' }],
  });
});

test('a series moves from a date on, also onto its own times; an appointment whose new time is not free stays', async () => {
  const { id, doctor } = await s.clinic();
  const { id: series } = await client().bookSeries(seriesOf(doctor.id), s.asUser(id));
  const move = (change: object) => client().rescheduleSeries({ id: series, from: DATES[1], ...change }, s.asUser(id));
  expect(datesBooked((await move({ appointmentDate: DATES[2] })).moved)).toEqual([DATES[2], '2026-07-14']);
  expect(datesBooked((await move({ appointmentDate: DATES[1] })).moved)).toEqual([DATES[1], DATES[2]]);
  await s.appointments.bookAppointment(s.booking(doctor.id, '10:00', DATES[2]), s.asUser(id));
  expect(await move({ startTime: '10:00' })).toMatchObject({
    moved: [{ appointmentDate: DATES[1], startTime: '10:00:00' }],
    refused: [{ date: DATES[2], reason: 'SLOT_TAKEN' }],
  });
  const other = await s.doctors.createDoctor({ fullName: 'Dr. Paz', workingHours: everyDay('08:00', '12:00') }, s.asAdmin(id));
  expect(await move({ doctorId: other.id, startTime: '11:00', allOrNothing: true })).toMatchObject({
    moved: [{ doctorId: other.id }, { doctorId: other.id, startTime: '11:00:00' }],
  });
  await expect(move({})).rejects.toMatchObject({ reason: 'VALIDATION_ERROR' });
  expect(await s.appointments.listAppointments({ seriesId: series, date: DATES[0] }, s.asUser(id))).toMatchObject({
    appointments: [{ startTime: '09:00:00', doctorId: doctor.id }],
  });
});

test('a move that is repeated with its Idempotency-Key moves nothing again, also when a part of it was refused', async () => {
  const { id, doctor } = await s.clinic();
  const { id: series, booked } = await client().bookSeries(seriesOf(doctor.id), s.asUser(id));
  await s.appointments.bookAppointment(s.booking(doctor.id, '09:00', '2026-06-03'), s.asUser(id));
  const user = s.asUser(id, { key: 'move' });
  const move = () => client().rescheduleSeries({ id: series, from: DATES[0], appointmentDate: '2026-06-03' }, user);
  const first = await move();
  expect([datesBooked(first.moved), first.refused]).toMatchObject([['2026-06-17', '2026-07-01'], [{ id: booked[0]?.id, date: '2026-06-03' }]]);
  expect(await move()).toEqual(first);
  const { appointments } = await s.appointments.listAppointments({ seriesId: series }, s.asUser(id));
  expect(datesBooked(appointments)).toEqual([DATES[0], '2026-06-17', '2026-07-01']);
});

test('a repeated move tries the refused appointments again and moves no other twice', async () => {
  const { id, doctor } = await s.clinic();
  const { id: series } = await client().bookSeries(seriesOf(doctor.id), s.asUser(id));
  const block = (startTime: string, date: string) => s.appointments.bookAppointment(s.booking(doctor.id, startTime, date), s.asUser(id));
  const free = (one: { id: string }) => s.appointments.updateAppointmentStatus({ id: one.id, status: 'cancelled' }, s.asUser(id));
  const times = async () => {
    const { appointments } = await s.appointments.listAppointments({ seriesId: series }, s.asUser(id));
    return appointments.map(({ appointmentDate, startTime }) => `${appointmentDate} ${startTime.slice(0, 5)}`);
  };
  const move = async (change: object) => {
    const { refused } = await client().rescheduleSeries({ id: series, from: DATES[0], ...change }, s.asUser(id));
    return refused.map(({ date }) => date);
  };
  // The first one is refused.
  const wednesday = { appointmentDate: '2026-06-03', startTime: '10:00' };
  let blocking = await block('10:00', '2026-06-03');
  for (let i = 0; i < 2; i++) {
    expect(await move(wednesday)).toEqual(['2026-06-03']);
    expect(await times()).toEqual(['2026-06-02 09:00', '2026-06-17 10:00', '2026-07-01 10:00']);
  }
  await free(blocking);
  for (let i = 0; i < 2; i++) {
    expect(await move(wednesday)).toEqual([]);
    expect(await times()).toEqual(['2026-06-03 10:00', '2026-06-17 10:00', '2026-07-01 10:00']);
  }
  // Another one is refused, on a move to an earlier day, after which the first one is before the date from which it moves.
  const earlier = { from: '2026-06-03', appointmentDate: DATES[0], startTime: '09:00' };
  blocking = await block('09:00', DATES[1]);
  for (let i = 0; i < 2; i++) {
    expect(await move(earlier)).toEqual([DATES[1]]);
    expect(await times()).toEqual(['2026-06-02 09:00', '2026-06-17 10:00', '2026-06-30 09:00']);
  }
  // Back to where the refused one still is.
  expect(await move(wednesday)).toEqual([]);
  expect(await times()).toEqual(['2026-06-03 10:00', '2026-06-17 10:00', '2026-07-01 10:00']);
  expect(await move(earlier)).toEqual([DATES[1]]);
  await free(blocking);
  expect(await move(earlier)).toEqual([]);
  expect(await times()).toEqual(['2026-06-02 09:00', '2026-06-16 09:00', '2026-06-30 09:00']);
  // One that is rescheduled by itself moves from its new date.
  blocking = await block('10:00', '2026-06-17');
  expect(await move(wednesday)).toEqual(['2026-06-17']);
  const [, second] = (await s.appointments.listAppointments({ seriesId: series }, s.asUser(id))).appointments;
  await s.appointments.rescheduleAppointment({ id: second?.id ?? '', appointmentDate: '2026-06-19', startTime: '10:00' }, s.asUser(id));
  expect(await move({ appointmentDate: '2026-06-04' })).toEqual([]);
  expect(await times()).toEqual(['2026-06-04 10:00', '2026-06-20 10:00', '2026-07-02 10:00']);
});

test('a slot that an appointment of a series leaves is offered to the waitlist unless another one of the series takes it', async () => {
  const { id, doctor } = await s.clinic();
  const { id: series } = await client().bookSeries(seriesOf(doctor.id), s.asUser(id));
  const waitlist = s.service.client(WaitlistService);
  for (const date of [DATES[1], DATES[2]])
    await waitlist.joinWaitlist({ patientName: 'Eva Luna', patientPhone: s.phone(), dateFrom: date, dateTo: date }, s.asUser(id));
  const moved = await client().rescheduleSeries({ id: series, from: DATES[1], appointmentDate: DATES[2] }, s.asUser(id));
  expect(moved.refused).toEqual([]);
  expect(datesBooked(moved.moved)).toEqual([DATES[2], '2026-07-14']);
  const { entries } = await waitlist.listWaitlist({}, s.asUser(id));
  expect(entries.map(({ status, offer }) => [status, offer?.appointmentDate])).toEqual([
    ['offered', DATES[1]],
    ['waiting', undefined],
  ]);
});

test('the alternatives of an appointment of a series that stays may overlap its own time, without that time', async () => {
  const { id, doctor } = await s.clinic();
  const { id: series } = await client().bookSeries({ ...seriesOf(doctor.id), durationMinutes: 60 }, s.asUser(id));
  await s.appointments.bookAppointment(s.booking(doctor.id, '11:30', DATES[1]), s.asUser(id));
  const move = client().rescheduleSeries({ id: series, from: DATES[1], startTime: '11:00' }, s.asUser(id));
  const alternatives = ['09:30', '10:00', '10:30'].map((startTime) => ({ date: DATES[1], startTime }));
  expect(await move).toMatchObject({ moved: [{ appointmentDate: DATES[2] }], refused: [{ date: DATES[1], reason: 'SLOT_TAKEN', alternatives }] });
});

test('a series is cancelled from a date on, once, and listed with its remaining appointments', async () => {
  const { id, doctor } = await s.clinic();
  const { id: series, booked } = await client().bookSeries(seriesOf(doctor.id), s.asUser(id));
  const cancel = (clinic = id) => client().cancelSeries({ id: series, from: DATES[1], cancellationReason: 'Fin' }, s.asUser(clinic));
  const { cancelled } = await cancel();
  expect(cancelled).toMatchObject([
    { appointmentDate: DATES[1], status: 'cancelled', cancellationReason: 'Fin' },
    { appointmentDate: DATES[2], status: 'cancelled' },
  ]);
  expect(await cancel()).toMatchObject({ cancelled: [] });
  const patientId = booked[0]?.patientId ?? '';
  expect(await client().listSeries({ patientId, doctorId: doctor.id }, s.asUser(id))).toMatchObject({
    total: 1,
    series: [{ id: series, patients: { id: patientId }, count: 3, remaining: 1, firstDate: DATES[0], lastDate: DATES[2], nextDate: DATES[0] }],
  });
  const other = await s.clinic();
  await expect(cancel(other.id)).rejects.toMatchObject({ reason: 'NOT_FOUND', message: 'Series not found' });
  expect(await client().listSeries({}, s.asUser(other.id))).toMatchObject({ total: 0 });
});

test('the events of a series that moves or is cancelled have the positions of their appointments, by date', async () => {
  const { id, doctor } = await s.clinic();
  const { id: series } = await client().bookSeries(seriesOf(doctor.id), s.asUser(id));
  const later = { id: series, from: DATES[1], appointmentDate: '2026-06-17' };
  await client().rescheduleSeries(later, s.asUser(id));
  await client().cancelSeries({ id: series, from: DATES[0] }, s.asUser(id));
  const owner = new pg.Client({ connectionString: s.service.database.ownerUrl });
  await owner.connect();
  const read = `select payload from scheduling.outbox where clinic_id = $1 and subject ~ 'appointment-(rescheduled|status-changed)$' order by id`;
  const { rows } = await owner.query(read, [id]);
  await owner.end();
  expect(rows.map(({ payload }) => [payload.appointment.appointmentDate, payload.seriesPosition]).sort()).toEqual([
    ['2026-06-02', 1],
    ['2026-06-17', 1],
    ['2026-06-17', 2],
    ['2026-07-01', 2],
    ['2026-07-01', 3],
  ]);
});

const changes = {
  'a move': (id: string, series: string) => client().rescheduleSeries({ id: series, from: DATES[0], startTime: '10:00' }, s.asUser(id)),
  'a cancellation': (id: string, series: string) => client().cancelSeries({ id: series, from: DATES[0] }, s.asUser(id)),
};
test.each(Object.entries(changes))('%s of a series changes no appointment that it has not locked', async (_, change) => {
  const { id, doctor } = await s.clinic();
  const { id: series, booked } = await client().bookSeries(seriesOf(doctor.id), s.asUser(id));
  const [first, second] = booked.map((appointment) => appointment.id) as [string, string];
  await s.appointments.updateAppointmentStatus({ id: second, status: 'cancelled' }, s.asUser(id));
  const holder = new pg.Client({ connectionString: s.service.database.ownerUrl });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from scheduling.appointments where id = $1 for update', [first]);
  await holder.query(`update scheduling.appointments set status = 'confirmed', revision = revision + 1 where id = $1`, [second]);
  const changed = change(id, series);
  await waitForLocked(s.service.database.ownerUrl, 1, '%from appointments%');
  await holder.query('commit');
  await changed;
  const { rows } = await holder.query('select revision from scheduling.appointments where series_id = $1 order by appointment_date', [series]);
  await holder.end();
  expect(rows.map(({ revision }) => revision)).toEqual([2, 3, 2]);
});

test('a series locks the chair before the patient, as a single booking does', async () => {
  const { id, doctor } = await s.clinic();
  const chair = await s.service.client(ResourceService).createResource({ name: 'Sillón 1', kind: 'chair' }, s.asAdmin(id));
  const patient = await s.patients.createPatient({ fullName: 'Luis Pérez', phone: s.phone() }, s.asUser(id));
  const request = { ...seriesOf(doctor.id), patientPhone: patient.phone ?? '', resourceId: chair.id };
  const [holder, observer] = [0, 1].map(() => new pg.Client({ connectionString: s.service.database.ownerUrl })) as [pg.Client, pg.Client];
  await Promise.all([holder.connect(), observer.connect()]);
  await holder.query('begin');
  await holder.query('select from scheduling.resources where id = $1 for update', [chair.id]);
  const booked = client().bookSeries(request, s.asUser(id));
  await waitForLocked(s.service.database.ownerUrl, 1, '%from resources%');
  const unlocked = await observer.query('select from scheduling.patients where id = $1 for update skip locked', [patient.id]);
  await holder.query('rollback');
  expect((await booked).refused).toEqual([]);
  await Promise.all([holder.end(), observer.end()]);
  expect(unlocked.rowCount).toBe(1);
});

test('series of two doctors never share a chair', async () => {
  const { id, doctor } = await s.clinic();
  const other = await s.doctors.createDoctor({ fullName: 'Dr. Paz', workingHours: everyDay('08:00', '12:00') }, s.asAdmin(id));
  const chair = await s.service.client(ResourceService).createResource({ name: 'Sillón 1', kind: 'chair' }, s.asAdmin(id));
  const results = await Promise.allSettled([doctor, other].map((one) => client().bookSeries({ ...seriesOf(one.id), resourceId: chair.id }, s.asUser(id))));
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});
