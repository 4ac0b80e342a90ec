// Medical alerts appear wherever the patient is treated.
import { asService } from '@clinic/lib/testing/callers.ts';
import { AgendaService } from '@clinic/proto/scheduling/v1/agenda_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { MedicalAlertService } from '@clinic/proto/scheduling/v1/medical_alert_pb.js';
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Scheduling, startScheduling, TUESDAY } from '../testing/clinic.ts';

let s: Scheduling;
beforeAll(async () => {
  s = await startScheduling();
});
afterAll(() => s.service.stop());

const alerts = () => s.service.client(MedicalAlertService);
const asthma = { kind: 'condition', severity: 'info', text: 'Asma' };
const penicillin = { kind: 'allergy', severity: 'danger', text: 'Penicilina' };

test('the most severe alert is first, on the patient, on appointments, in the agenda and for other services', async () => {
  const { id, doctor } = await s.clinic();
  const booked = await s.appointments.bookAppointment(s.booking(doctor.id, '09:00'), s.asUser(id));
  expect(booked.alerts).toEqual([]);
  const { patientId } = booked;
  const another = await s.appointments.bookAppointment(s.booking(doctor.id, '11:00'), s.asUser(id));
  await alerts().createMedicalAlert({ ...asthma, patientId: another.patientId, text: 'Asma de otra persona' }, s.asUser(id));
  const [first, second] = [
    await alerts().createMedicalAlert({ patientId, ...asthma }, s.asUser(id)),
    await alerts().createMedicalAlert({ patientId, ...penicillin }, s.asUser(id)),
  ];
  const shown = [
    { id: second.id, ...penicillin },
    { id: first.id, ...asthma },
  ];
  const patient = await s.patients.getPatient({ id: patientId }, s.asUser(id));
  expect(patient).toMatchObject({ alerts: shown });
  expect(await s.appointments.getAppointment({ id: booked.id }, s.asUser(id))).toMatchObject({ alerts: shown });
  expect(await s.appointments.bookAppointment({ doctorId: doctor.id, appointmentDate: TUESDAY, startTime: '10:00', patientId }, s.asUser(id))).toMatchObject({
    alerts: shown,
  });
  const agenda = await s.service.client(AgendaService).getAgenda({ date: TUESDAY }, s.asUser(id));
  expect(agenda.doctors[0]?.visits[0]).toMatchObject({ alerts: shown }); // plain-words: visits is public JSON
  const lookup = s.service.client(LookupService);
  expect(await lookup.findPatient({ id: patientId }, asService('dental', id))).toMatchObject({ alerts: shown });
  expect(await lookup.findPatients({ ids: [patientId] }, asService('dental', id))).toMatchObject({ patients: [{ alerts: shown }] });
  expect(await lookup.findPatientByPhone({ phone: patient.phone ?? '' }, asService('messaging', id))).toMatchObject({ patient: { alerts: shown } });
  expect(await alerts().listMedicalAlerts({ patientId, limit: 1 }, s.asUser(id))).toMatchObject({ alerts: [shown[0]], total: 2 });

  expect(await alerts().updateMedicalAlert({ patientId, id: first.id, severity: 'danger', text: 'Asma severa' }, s.asUser(id))).toMatchObject({
    kind: 'condition',
    severity: 'danger',
    text: 'Asma severa',
  });
  await alerts().deleteMedicalAlert({ patientId, id: second.id }, s.asUser(id));
  expect((await alerts().listMedicalAlerts({ patientId }, s.asUser(id))).alerts).toMatchObject([{ id: first.id, text: 'Asma severa' }]);
});

test('after a merge the alerts of both records are shown, and an undo leaves a new one with the remaining record', async () => {
  const { id, doctor } = await s.clinic();
  const patientAt = async (time: string) => (await s.appointments.bookAppointment(s.booking(doctor.id, time), s.asUser(id))).patientId;
  const [keepId, mergeId] = [await patientAt('08:00'), await patientAt('08:30')];
  await alerts().createMedicalAlert({ patientId: mergeId, ...penicillin }, s.asUser(id));
  const families = s.service.client(PatientFamilyService);
  const merge = await families.mergePatients({ keepId, mergeId }, s.asAdmin(id));
  await alerts().createMedicalAlert({ patientId: keepId, ...asthma }, s.asUser(id));
  const texts = async (patientId: string) => (await alerts().listMedicalAlerts({ patientId }, s.asUser(id))).alerts.map(({ text }) => text);
  expect(await texts(keepId)).toEqual(['Penicilina', 'Asma']);
  await families.undoMerge({ id: merge.id }, s.asAdmin(id));
  expect([await texts(keepId), await texts(mergeId)]).toEqual([['Asma'], ['Penicilina']]);
});

test('an alert is found only under its own patient, in its own clinic', async () => {
  const { id, doctor } = await s.clinic();
  const [one, two] = [
    await s.appointments.bookAppointment(s.booking(doctor.id, '08:00'), s.asUser(id)),
    await s.appointments.bookAppointment(s.booking(doctor.id, '08:30'), s.asUser(id)),
  ];
  const created = await alerts().createMedicalAlert({ patientId: one.patientId, ...asthma }, s.asUser(id));
  const other = await s.clinic();
  const missing = { reason: 'NOT_FOUND', message: 'Medical alert not found' };
  await expect(alerts().deleteMedicalAlert({ patientId: two.patientId, id: created.id }, s.asUser(id))).rejects.toMatchObject(missing);
  await expect(alerts().updateMedicalAlert({ patientId: one.patientId, id: created.id, text: 'x' }, s.asUser(other.id))).rejects.toMatchObject(missing);
  await expect(alerts().listMedicalAlerts({ patientId: one.patientId }, s.asUser(other.id))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  for (const wrong of [{ kind: 'rumour' }, { severity: 'high' }, { text: ' ' }])
    await expect(alerts().createMedicalAlert({ patientId: one.patientId, ...asthma, ...wrong }, s.asUser(id))).rejects.toMatchObject({
      reason: 'VALIDATION_ERROR',
    });
});
