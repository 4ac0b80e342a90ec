// One appointment by its id.
import { randomUUID } from 'node:crypto';
import { asService } from '@clinic/lib/testing/callers.ts';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Scheduling, startScheduling, TUESDAY } from '../testing/clinic.ts';

let s: Scheduling;
beforeAll(async () => {
  s = await startScheduling();
});
afterAll(() => s.service.stop());

test('an appointment is returned as it was booked, with patient and doctor', async () => {
  const { id, doctor } = await s.clinic();
  const booking = s.booking(doctor.id, '10:00');
  const booked = await s.appointments.bookAppointment(booking, s.asUser(id));
  const read = await s.appointments.getAppointment({ id: booked.id }, s.asUser(id));
  expect(read).toEqual(booked);
  expect(read).toMatchObject({
    appointmentDate: TUESDAY,
    patients: { fullName: booking.patientName, phone: booking.patientPhone },
    doctors: { id: doctor.id, fullName: doctor.fullName },
  });
});

test('other services find an appointment without names; messaging finds the doctor, and the phone and address of the guardian', async () => {
  const { id, doctor } = await s.clinic();
  const guardian = await s.patients.createPatient({ fullName: 'Rosa Díaz', phone: s.phone(), email: 'rosa@example.com' }, s.asUser(id));
  const child = await s.service.client(PatientFamilyService).createDependant({ id: guardian.id, fullName: 'Luz Díaz' }, s.asUser(id));
  const booking = { doctorId: doctor.id, appointmentDate: TUESDAY, startTime: '10:00', patientId: child.id, notes: 'Primera cita' };
  const booked = await s.appointments.bookAppointment(booking, s.asUser(id));
  const lookup = s.service.client(LookupService);
  const state = { id: booked.id, status: 'confirmed', startsAt: booked.startsAt, missingForms: 0 };
  expect(await lookup.findAppointment({ id: booked.id }, asService('dental', id))).toMatchObject({
    ...state,
    patientId: child.id,
    revision: 1,
    changedAt: booked.updatedAt,
    withoutPhone: false,
  });
  const found = await lookup.findAppointmentWithContact({ id: booked.id }, asService('messaging', id));
  expect(found).toMatchObject({
    ...state,
    appointmentDate: TUESDAY,
    startTime: booked.startTime,
    doctorName: doctor.fullName,
    notes: 'Primera cita',
    patientName: 'Luz Díaz',
    reachablePhone: guardian.phone,
    reachableEmail: 'rosa@example.com',
  });
  expect([found.seriesId, found.bookingEmail]).toEqual([undefined, undefined]);
  const foreign = asService('messaging', (await s.clinic()).id);
  await expect(lookup.findAppointmentWithContact({ id: booked.id }, foreign)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
});

test('an unknown, malformed or foreign id is not found', async () => {
  const { id, doctor } = await s.clinic();
  const booked = await s.appointments.bookAppointment(s.booking(doctor.id, '10:30'), s.asUser(id));
  const other = await s.clinic();
  const missing = { reason: 'NOT_FOUND', message: 'Appointment not found' };
  await expect(s.appointments.getAppointment({ id: booked.id }, s.asUser(other.id))).rejects.toMatchObject(missing);
  await expect(s.appointments.getAppointment({ id: randomUUID() }, s.asUser(id))).rejects.toMatchObject(missing);
  await expect(s.appointments.getAppointment({ id: 'none' }, s.asUser(id))).rejects.toMatchObject(missing);
});
