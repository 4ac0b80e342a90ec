// After an erasure the record of a patient accepts no writes: every request that would change it or add to it fails as for an unknown patient.
import { randomUUID } from 'node:crypto';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { asOperator } from '@clinic/lib/testing/callers.ts';
import { DataSubjectService } from '@clinic/proto/common/v1/data_subject_pb.js';
import { UserService } from '@clinic/proto/identity/v1/user_pb.js';
import { AppointmentSeriesService } from '@clinic/proto/scheduling/v1/appointment_series_pb.js';
import { ClinicalNoteService } from '@clinic/proto/scheduling/v1/clinical_note_pb.js';
import { SubjectService } from '@clinic/proto/scheduling/v1/data_subject_pb.js';
import { FormService } from '@clinic/proto/scheduling/v1/form_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { MedicalAlertService } from '@clinic/proto/scheduling/v1/medical_alert_pb.js';
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import { PatientFileService } from '@clinic/proto/scheduling/v1/patient_file_pb.js';
import { PrescriptionService } from '@clinic/proto/scheduling/v1/prescription_pb.js';
import { WaitlistService } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MONDAY, type Scheduling, startScheduling, TUESDAY } from '../testing/clinic.ts';
import { fakeOf } from '../testing/fake-of.ts';

let s: Scheduling;
let clinicId: string;
let doctorId: string;
let erased: string;
let other: string;
let templateId: string;
let pastAppointment: string;

beforeAll(async () => {
  s = await startScheduling({ identity: localTransport([fakeOf(UserService, { getUser: async (_, { id }) => ({ id, licenseNumber: 'JVPO 1' }) })]) });
  const clinic = await s.clinic();
  [clinicId, doctorId] = [clinic.id, clinic.doctor.id];
  const booked = await s.appointments.bookAppointment(s.booking(doctorId, '09:00'), user());
  [erased, pastAppointment] = [booked.patientId, booked.id];
  other = (await s.patients.createPatient({ fullName: 'Ana Gil', phone: s.phone() }, user())).id;
  const { templates } = await s.service.client(FormService).listFormTemplates({}, user());
  templateId = templates.find(({ isActive }) => isActive)?.id ?? '';
  s.clock.set(new Date(MONDAY.getTime() + 7 * 86_400_000));
  const { subject } = await s.service.client(SubjectService).findSubject({ clinicId, patientId: erased }, asOperator());
  await s.service.client(DataSubjectService).eraseRecords({ subject }, asOperator());
});
afterAll(() => s.service.stop());

const user = () => s.asUser(clinicId);
const admin = () => s.asAdmin(clinicId);
const family = () => s.service.client(PatientFamilyService);
const later = '2026-06-16';
const slot = { appointmentDate: later, startTime: '09:00' };
const ITEM = { drug: 'Amoxicilina', dose: '1', frequency: 'Cada 8 horas', duration: '7 días' };

const WRITES: Record<string, () => Promise<unknown>> = {
  'change the record': () => s.patients.updatePatient({ id: erased, fullName: 'Rosa Díaz', phone: s.phone() }, user()),
  'change the notes alone': () => s.patients.updatePatient({ id: erased, notes: 'Alergia' }, user()),
  archive: () => family().archivePatient({ id: erased }, admin()),
  restore: () => family().restorePatient({ id: erased }, admin()),
  'add a dependant': () => family().createDependant({ id: erased, fullName: 'Leo Díaz' }, user()),
  'opt in to recall messages': () => s.service.client(LookupService).setRecallOptOut({ id: erased, optIn: true }, user()),
  'be found by a service that is about to store data': () => s.service.client(LookupService).findPatient({ id: erased, toChange: true }, user()),
  'merge another patient into it': () => family().mergePatients({ keepId: erased, mergeId: other }, admin()),
  'merge it into another patient': () => family().mergePatients({ keepId: other, mergeId: erased }, admin()),
  'preview a merge': () => family().previewMerge({ keepId: other, mergeId: erased }, admin()),
  'add a medical alert': () =>
    s.service.client(MedicalAlertService).createMedicalAlert({ patientId: erased, kind: 'allergy', severity: 'danger', text: 'Penicilina' }, user()),
  'add a clinical note': () => s.service.client(ClinicalNoteService).createClinicalNote({ patientId: erased, text: 'Control' }, user()),
  'upload a file': () => s.service.client(PatientFileService).beginPatientFile({ patientId: erased, name: 'a.pdf' }, user()),
  'create a form': () => s.service.client(FormService).createForm({ patientId: erased, templateId }, user()),
  'write a prescription': () =>
    s.service
      .client(PrescriptionService)
      .createPrescription({ patientId: erased, items: [ITEM] }, s.asUser(clinicId, { userId: randomUUID(), role: 'doctor' })),
  'book an appointment': () => s.appointments.bookAppointment({ doctorId, ...slot, patientId: erased }, user()),
  'book a series': () => s.service.client(AppointmentSeriesService).bookSeries({ doctorId, ...slot, patientId: erased, every: { weeks: 1 }, count: 2 }, user()),
  'join the waitlist': () => s.service.client(WaitlistService).joinWaitlist({ patientId: erased, dateFrom: later, dateTo: later }, user()),
};

test.each(Object.entries(WRITES))('%s: Patient not found', async (_, write) => {
  await expect(write()).rejects.toMatchObject({ reason: 'NOT_FOUND', message: 'Patient not found' });
});

test('the forms that an appointment asks for are not created', async () => {
  expect(await s.appointments.getAppointment({ id: pastAppointment }, user())).toMatchObject({ status: 'confirmed', appointmentDate: TUESDAY });
  const request = s.service.client(FormService).requestAppointmentForms({ appointmentId: pastAppointment }, user());
  await expect(request).rejects.toMatchObject({ reason: 'NOT_FOUND', message: 'Form not found' });
});

test('reads still find the record, which has no personal data', async () => {
  const patient = await s.patients.getPatient({ id: erased }, user());
  expect(patient).toMatchObject({ fullName: 'Paciente eliminado', alerts: [], recallOptedOut: true });
  expect([patient.phone, patient.notes]).toEqual([undefined, undefined]);
  expect(await s.service.client(LookupService).findPatient({ id: erased }, user())).toMatchObject({ fullName: 'Paciente eliminado' });
  expect(await family().listDependants({ id: erased }, user())).toMatchObject({ total: 0 });
  expect(await s.service.client(MedicalAlertService).listMedicalAlerts({ patientId: erased }, user())).toMatchObject({ total: 0 });
  expect(await s.service.client(ClinicalNoteService).listClinicalNotes({ patientId: erased }, user())).toMatchObject({ total: 0 });
  expect(await s.service.client(PatientFileService).listPatientFiles({ patientId: erased }, user())).toMatchObject({ total: 0 });
  expect(await s.service.client(FormService).listForms({ patientId: erased }, user())).toMatchObject({ total: 0 });
  expect(await s.service.client(PrescriptionService).listPrescriptions({ patientId: erased }, user())).toMatchObject({ total: 0 });
});
