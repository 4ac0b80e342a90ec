// The lookup of patients and appointments by other services.
import { randomUUID } from 'node:crypto';
import { asService } from '@clinic/lib/testing/callers.ts';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { type Scheduling, startScheduling } from '../testing/clinic.ts';

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

test('patients are found by id, alone or several, without the DUI and only in their clinic', async () => {
  const [id, other] = [randomUUID(), randomUUID()];
  const fields = { fullName: 'Rosa Díaz', phone: s.phone(), email: 'rosa@example.com', dui: '00016297-5', birthDate: '2018-05-01' };
  const patient = await s.patients.createPatient(fields, s.asUser(id));
  const found = await lookup().findPatient({ id: patient.id }, s.asUser(id));
  expect(found).toMatchObject({
    fullName: 'Rosa Díaz',
    phone: patient.phone,
    reachablePhone: patient.phone,
    reachableEmail: patient.email,
    birthDate: '2018-05-01',
    isArchived: false,
  });
  expect(JSON.stringify(found)).not.toContain('00016297');
  expect((await lookup().findPatients({ ids: [patient.id, randomUUID()] }, s.asUser(id))).patients).toEqual([found]);
  expect((await lookup().findPatients({ ids: [patient.id] }, s.asUser(other))).patients).toEqual([]);
  await expect(lookup().findPatient({ id: patient.id }, s.asUser(other))).rejects.toMatchObject({ message: 'Patient not found' });
});

test('a phone, also that of a merged record, finds its patient with dependants, and the upcoming appointments of all of them', async () => {
  const { id, doctor } = await s.clinic();
  const family = s.service.client(PatientFamilyService);
  const [rosa, twice] = [
    await s.patients.createPatient({ fullName: 'Rosa Díaz', phone: s.phone(), dui: '00016297-5' }, s.asAdmin(id)),
    await s.patients.createPatient({ fullName: 'Rosa Diaz', phone: s.phone() }, s.asAdmin(id)),
  ];
  const child = await family.createDependant({ id: rosa.id, fullName: 'Beto Díaz' }, s.asAdmin(id));
  await s.appointments.bookAppointment({ ...s.booking(doctor.id, '08:00'), patientPhone: rosa.phone ?? '' }, s.asAdmin(id));
  await family.mergePatients({ keepId: rosa.id, mergeId: twice.id }, s.asAdmin(id));

  // For a service that is about to store data, as for those that change the patient.
  await expect(lookup().findPatient({ id: twice.id }, s.asUser(id))).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  await expect(lookup().findPatient({ id: twice.id, toChange: true }, s.asUser(id))).rejects.toMatchObject({
    reason: 'CONFLICT',
    details: [{ path: 'merged_into', message: rosa.id }],
  });

  for (const phone of [rosa.phone ?? '', twice.phone ?? '']) {
    const found = await lookup().findPatientByPhone({ phone }, s.asUser(id));
    expect(found.patient).toMatchObject({ id: rosa.id, phone: rosa.phone, isArchived: false });
    expect(found.dependants).toEqual([expect.objectContaining({ id: child.id, fullName: 'Beto Díaz', guardianId: rosa.id, reachablePhone: rosa.phone })]);
    expect(JSON.stringify(found)).not.toContain('00016297');
    expect((await lookup().listUpcomingAppointments({ phone }, s.asUser(id))).appointments).toHaveLength(1);
  }
  await family.archivePatient({ id: child.id }, s.asAdmin(id));
  await family.archivePatient({ id: rosa.id }, s.asAdmin(id));
  const archived = await lookup().findPatientByPhone({ phone: rosa.phone ?? '' }, s.asUser(id));
  expect(archived).toMatchObject({ patient: { id: rosa.id, isArchived: true }, dependants: [] });
  const part = (rosa.phone ?? '').slice(0, -1);
  for (const [phone, clinic] of [
    [part, id],
    ['', id],
    [rosa.phone, randomUUID()],
  ] as const) {
    expect(await lookup().findPatientByPhone({ phone: phone ?? '' }, s.asUser(clinic))).not.toHaveProperty('patient');
  }
});

test('opting out is published once, with a higher revision', async () => {
  const id = randomUUID();
  const patient = await s.patients.createPatient({ fullName: 'Rosa', phone: s.phone(), dui: '00016297-5' }, s.asUser(id));
  const optOut = (caller = s.asUser(id)) => lookup().setRecallOptOut({ id: patient.id }, caller);
  await expect(optOut(s.asUser(randomUUID()))).rejects.toMatchObject({ message: 'Patient not found' });
  expect(await optOut()).toMatchObject({ id: patient.id, recallOptedOut: true, dui: '00016297-5' });
  expect(await optOut()).toMatchObject({ recallOptedOut: true });
  const { rows } = await owner.query(`select subject, payload->'patient' as patient from scheduling.outbox where clinic_id = $1 order by id`, [id]);
  expect(rows).toEqual([
    { subject: `clinic.${id}.scheduling.patient-created`, patient: { patientId: patient.id, hasPhone: true, revision: 1 } },
    { subject: `clinic.${id}.scheduling.patient-updated`, patient: { patientId: patient.id, hasPhone: true, recallOptedOut: true, revision: 2 } },
  ]);
});

test('states of all clinics are listed in pages, for services only', async () => {
  const made = await Promise.all([s.clinic(), s.clinic()]);
  for (const { id, doctor } of made) await s.appointments.bookAppointment(s.booking(doctor.id, '08:00'), s.asUser(id));
  const read: string[] = [];
  let last = { afterClinicId: '', afterId: '' };
  for (;;) {
    const { appointments, clinicIds } = await lookup().listAppointmentStates({ ...last, limit: 1 }, asService('dental'));
    const [one] = appointments;
    if (!one) break;
    read.push(clinicIds[0] ?? '');
    last = { afterClinicId: clinicIds[0] ?? '', afterId: one.appointmentId };
  }
  const ids: string[] = made.map(({ id }) => id);
  expect(read.filter((id) => ids.includes(id))).toEqual(ids.sort());
  expect(read).toEqual([...read].sort());
  expect((await lookup().listPatientStates({ limit: 5000 }, asService('dental'))).patients.length).toBeGreaterThanOrEqual(2);
  await expect(lookup().listPatientStates({ limit: 1 }, s.asUser(made[0]?.id ?? ''))).rejects.toMatchObject({ reason: 'FORBIDDEN' });
});
