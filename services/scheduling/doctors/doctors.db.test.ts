// The limit of doctors, their hours, and appointments when hours change.

import { randomUUID } from 'node:crypto';
import { waitForLocked } from '@clinic/lib/testing/wait-for-locked.ts';
import { AgendaService } from '@clinic/proto/scheduling/v1/agenda_pb.js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { everyDay, outcomes, type Scheduling, startScheduling, TUESDAY } from '../testing/clinic.ts';

let s: Scheduling;
beforeAll(async () => {
  s = await startScheduling();
});
afterAll(() => s.service.stop());

const limited = (id: string, doctorLimit: number) => s.asAdmin(id, { clinic: { doctorLimit } });

describe('the limit', () => {
  test('eight of 14 concurrent additions succeed under a limit of 8', async () => {
    const id = randomUUID();
    const calls = Array.from({ length: 14 }, (_, index) => s.doctors.createDoctor({ fullName: `Dr. ${index}` }, limited(id, 8)));
    expect(await outcomes(calls)).toEqual({ answered: 8, refused: 6, reasons: ['DOCTOR_LIMIT_REACHED'] });
    expect((await s.doctors.listDoctors({}, s.asUser(id))).total).toBe(8);
  });

  test('activating a doctor again counts towards the limit', async () => {
    const id = randomUUID();
    const first = await s.doctors.createDoctor({ fullName: 'Primera' }, limited(id, 1));
    await s.doctors.deactivateDoctor({ id: first.id }, limited(id, 1));
    await s.doctors.createDoctor({ fullName: 'Segunda' }, limited(id, 1));
    await expect(s.doctors.updateDoctor({ id: first.id, isActive: true }, limited(id, 1))).rejects.toMatchObject({ reason: 'DOCTOR_LIMIT_REACHED' });
  });

  test('when the limit cannot be checked, no doctor is created and the error says so', async () => {
    const id = randomUUID();
    const owner = new pg.Client({ connectionString: s.service.database.ownerUrl });
    await owner.connect();
    await owner.query('revoke select on scheduling.doctors from clinic_scheduling');
    try {
      await expect(s.doctors.createDoctor({ fullName: 'Nadie' }, limited(id, 8))).rejects.toMatchObject({ reason: 'LIMIT_CHECK_UNAVAILABLE' });
    } finally {
      await owner.query('grant select on scheduling.doctors to clinic_scheduling');
      await owner.end();
    }
    expect((await s.doctors.listDoctors({}, s.asUser(id))).total).toBe(0);
  });

  test('only an admin can change doctors', async () => {
    const { id, doctor } = await s.clinic();
    expect(
      await outcomes([s.doctors.createDoctor({ fullName: 'X' }, s.asUser(id)), s.doctors.deactivateDoctor({ id: doctor.id }, s.asUser(id))]),
    ).toMatchObject({ reasons: ['FORBIDDEN'] });
  });
});

describe('hours', () => {
  test('are replaced as a whole; absent fields and booked appointments stay', async () => {
    const { id, doctor } = await s.clinic();
    await s.appointments.bookAppointment(s.booking(doctor.id, '08:00'), s.asUser(id));
    const changed = await s.doctors.updateDoctor(
      { id: doctor.id, workingHours: { ranges: everyDay('14:00', '15:00') }, breaks: { ranges: everyDay('14:30', '14:45') } },
      s.asAdmin(id),
    );
    expect(changed).toMatchObject({ fullName: 'Dra. Ana Rivas', consultationDurationMinutes: 30 });
    expect(changed.doctorWorkingHours).toHaveLength(7);
    const { slots } = await s.doctors.listSlots({ doctorId: doctor.id, date: TUESDAY }, s.asUser(id));
    expect(slots).toMatchObject([{ startTime: '14:00', endTime: '14:30' }]);
    expect((await s.appointments.listAppointments({ date: TUESDAY }, s.asUser(id))).total).toBe(1);
    const bare = await s.doctors.updateDoctor({ id: doctor.id, breaks: { ranges: [] }, specialty: 'Ortodoncia' }, s.asAdmin(id));
    expect(bare).toMatchObject({ specialty: 'Ortodoncia', doctorBreaks: [] });
    expect(bare.doctorWorkingHours).toHaveLength(7);
  });

  test('a doctor who is sent back unchanged, or deactivated twice, is in the audit log once, and only by id', async () => {
    const { id, doctor } = await s.clinic();
    const workingHours = { ranges: everyDay('14:00', '15:00') };
    const breaks = { ranges: everyDay('14:30', '14:45') };
    const changed = await s.doctors.updateDoctor({ id: doctor.id, fullName: 'Dra. Canario', bio: 'Hola', workingHours, breaks }, s.asAdmin(id));
    const reversed = { workingHours: { ranges: workingHours.ranges.toReversed() }, breaks };
    expect(await s.doctors.updateDoctor({ id: doctor.id, bio: 'Hola', isActive: true, ...reversed }, s.asAdmin(id))).toEqual(changed);
    for (const _ of [1, 2]) await s.doctors.deactivateDoctor({ id: doctor.id }, s.asAdmin(id));
    const owner = new pg.Client({ connectionString: s.service.database.ownerUrl });
    await owner.connect();
    const { rows } = await owner.query('select action, changes from scheduling.audit_log where entity_id = $1 order by id', [doctor.id]);
    await owner.end();
    expect(rows.map(({ action }) => action)).toEqual(['doctor.created', 'doctor.updated', 'doctor.deactivated']);
    expect(JSON.stringify(rows)).not.toMatch(/Canario|Hola/);
  });

  test('may end at the end of the day, where the last appointment ends too', async () => {
    const { id, doctor } = await s.clinic();
    const ranges = [...everyDay('22:30', '24:00'), ...everyDay('00:00', '00:30')];
    const changed = await s.doctors.updateDoctor({ id: doctor.id, bufferTimeMinutes: 15, workingHours: { ranges } }, s.asAdmin(id));
    expect(changed.doctorWorkingHours.filter(({ dayOfWeek }) => dayOfWeek === 2)).toMatchObject([
      { startTime: '00:00:00', endTime: '00:30:00' },
      { startTime: '22:30:00', endTime: '24:00:00' },
    ]);
    const sentBack = changed.doctorWorkingHours.map(({ dayOfWeek, startTime, endTime }) => ({ dayOfWeek, startTime, endTime }));
    expect(await s.doctors.updateDoctor({ id: doctor.id, workingHours: { ranges: sentBack } }, s.asAdmin(id))).toEqual(changed);
    await s.doctors.updateDoctor({ id: doctor.id, bufferTimeMinutes: 0, breaks: { ranges: everyDay('23:00', '23:30') } }, s.asAdmin(id));
    const slots = async (date: string) => (await s.doctors.listSlots({ doctorId: doctor.id, date }, s.asUser(id))).slots;
    expect(await slots(TUESDAY)).toMatchObject([
      { startTime: '00:00', endTime: '00:30' },
      { startTime: '22:30', endTime: '23:00' },
      { startTime: '23:30', endTime: '00:00' },
    ]);
    const late = await s.appointments.bookAppointment(s.booking(doctor.id, '23:30'), s.asUser(id));
    expect(late).toMatchObject({ appointmentDate: TUESDAY, startTime: '23:30:00', endTime: '00:00:00' });
    expect(await slots('2026-06-03')).toHaveLength(3);
    expect((await s.doctors.updateDoctor({ id: doctor.id, breaks: { ranges: [] } }, s.asAdmin(id))).conflicts).toEqual([]);
    const { doctors } = await s.service.client(AgendaService).getAgenda({ date: TUESDAY }, s.asUser(id));
    expect(doctors[0]).toMatchObject({
      hours: [{ startTime: '00:00:00' }, { startTime: '22:30:00', endTime: '24:00:00', minutes: 90 }],
      gaps: [{ endTime: '00:30:00' }, { startTime: '22:30:00', endTime: '23:30:00', minutes: 60 }],
    });
  });

  test('of two concurrent changes the second replaces the hours of the first', async () => {
    const { id, doctor } = await s.clinic();
    const owner = new pg.Client({ connectionString: s.service.database.ownerUrl });
    await owner.connect();
    await owner.query('begin');
    await owner.query('update scheduling.doctors set updated_at = now() where id = $1', [doctor.id]);
    await owner.query("update scheduling.doctor_working_hours set end_time = '10:00' where doctor_id = $1", [doctor.id]);
    const change = s.doctors.updateDoctor({ id: doctor.id, workingHours: { ranges: everyDay('08:00', '12:00') } }, s.asAdmin(id));
    await waitForLocked(s.service.database.ownerUrl);
    await owner.query('commit');
    await owner.end();
    expect((await change).doctorWorkingHours[0]?.endTime).toBe('12:00:00');
    expect((await s.doctors.getDoctor({ id: doctor.id }, s.asUser(id))).doctorWorkingHours[0]?.endTime).toBe('12:00:00');
  });

  test('a day of a vacation has no slots', async () => {
    const { id, doctor } = await s.clinic();
    const owner = new pg.Client({ connectionString: s.service.database.ownerUrl });
    await owner.connect();
    await owner.query('insert into scheduling.doctor_vacations (clinic_id, doctor_id, id, start_date, end_date) values ($1, $2, $3, $4, $4)', [
      id,
      doctor.id,
      randomUUID(),
      TUESDAY,
    ]);
    await owner.end();
    expect((await s.doctors.listSlots({ doctorId: doctor.id, date: TUESDAY }, s.asUser(id))).slots).toEqual([]);
    expect((await s.doctors.listSlots({ doctorId: doctor.id, date: '2026-06-03' }, s.asUser(id))).slots).toHaveLength(8);
  });

  test('overlapping ranges and invalid values are refused with the field', async () => {
    const id = randomUUID();
    const create = (fields: object) => s.doctors.createDoctor({ fullName: 'Dr. X', ...fields }, s.asAdmin(id));
    await expect(create({ workingHours: [...everyDay('08:00', '12:00'), ...everyDay('11:00', '13:00')] })).rejects.toMatchObject({
      details: [{ path: 'workingHours.7.startTime' }],
    });
    await expect(create({ consultationDurationMinutes: 0 })).rejects.toMatchObject({ details: [{ path: 'consultationDurationMinutes' }] });
    await expect(create({ fullName: '  ' })).rejects.toMatchObject({ details: [{ path: 'fullName' }] });
    await expect(create({ fullName: 'a\0b' })).rejects.toMatchObject({ details: [{ path: 'fullName' }] });
  });

  test('a doctor of another clinic is not found', async () => {
    const [mine, other] = [await s.clinic(), await s.clinic()];
    const { id } = other.doctor;
    const calls = [
      s.doctors.getDoctor({ id }, s.asUser(mine.id)),
      s.doctors.listSlots({ doctorId: id, date: TUESDAY }, s.asUser(mine.id)),
      s.doctors.updateDoctor({ id, fullName: 'Mío' }, s.asAdmin(mine.id)),
      s.doctors.deactivateDoctor({ id }, s.asAdmin(mine.id)),
    ];
    expect(await outcomes(calls)).toEqual({ answered: 0, refused: 4, reasons: ['NOT_FOUND'] });
    expect(await s.doctors.getDoctor({ id }, s.asUser(other.id))).toMatchObject({ fullName: 'Dra. Ana Rivas', isActive: true });
  });
});
