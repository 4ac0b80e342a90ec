// The record of a patient that was merged into another one: nothing is added or changed by its id, and lists by its id are those of the remaining patient.
import { randomUUID } from 'node:crypto';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { UserService } from '@clinic/proto/identity/v1/user_pb.js';
import { AppointmentSeriesService } from '@clinic/proto/scheduling/v1/appointment_series_pb.js';
import { ClinicalNoteService } from '@clinic/proto/scheduling/v1/clinical_note_pb.js';
import { FormService } from '@clinic/proto/scheduling/v1/form_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { MedicalAlertService } from '@clinic/proto/scheduling/v1/medical_alert_pb.js';
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import { PatientFileService } from '@clinic/proto/scheduling/v1/patient_file_pb.js';
import { PrescriptionService } from '@clinic/proto/scheduling/v1/prescription_pb.js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Scheduling, startScheduling, TUESDAY } from '../testing/clinic.ts';
import { fakeOf } from '../testing/fake-of.ts';

let s: Scheduling;
let clinicId: string;
let remaining: string;
let merged: string;
/** Ids of what the patient had when the records were merged, by the record for which they were written. */
const written: Record<string, { alert: string; note: string; form: string; prescription: string }> = {};

const client = () => ({
  alerts: s.service.client(MedicalAlertService),
  notes: s.service.client(ClinicalNoteService),
  forms: s.service.client(FormService),
  files: s.service.client(PatientFileService),
  prescriptions: s.service.client(PrescriptionService),
  series: s.service.client(AppointmentSeriesService),
  family: s.service.client(PatientFamilyService),
});
const doctorId = randomUUID();
const doctor = () => s.asUser(clinicId, { userId: doctorId, role: 'doctor' });
const ITEM = { drug: 'Amoxicilina', dose: '1', frequency: 'Cada 8 horas', duration: '7 días' };
const ALERT = { kind: 'allergy', severity: 'danger', text: 'Penicilina' };

async function write(patientId: string, startTime: string, templateId: string, doctorId: string) {
  const { alerts, notes, forms, prescriptions } = client();
  const made = await Promise.all([
    alerts.createMedicalAlert({ patientId, ...ALERT }, doctor()),
    notes.createClinicalNote({ patientId, text: 'Control' }, doctor()),
    forms.createForm({ patientId, templateId }, doctor()),
    prescriptions.createPrescription({ patientId, items: [ITEM] }, doctor()),
  ]);
  const [alert = '', note = '', form = '', prescription = ''] = made.map(({ id }) => id);
  written[patientId] = { alert, note, form, prescription };
  await client().series.bookSeries({ doctorId, patientId, appointmentDate: TUESDAY, startTime, every: { weeks: 1 }, count: 2 }, doctor());
  await client().family.createDependant({ id: patientId, fullName: 'Luz Díaz' }, doctor());
}

beforeAll(async () => {
  s = await startScheduling({ identity: localTransport([fakeOf(UserService, { getUser: async (_, { id }) => ({ id, licenseNumber: 'JVPO 1' }) })]) });
  const clinic = await s.clinic();
  clinicId = clinic.id;
  const [one, other] = await Promise.all(['Rosa Díaz', 'Rosa D.'].map((fullName) => s.patients.createPatient({ fullName, phone: s.phone() }, doctor())));
  [remaining, merged] = [one?.id ?? '', other?.id ?? ''];
  const { templates } = await client().forms.listFormTemplates({}, doctor());
  const templateId = templates.find(({ isActive, fields }) => isActive && fields.length > 0)?.id ?? '';
  await write(remaining, '08:00', templateId, clinic.doctor.id);
  await write(merged, '09:00', templateId, clinic.doctor.id);
  await client().family.mergePatients({ keepId: remaining, mergeId: merged }, s.asAdmin(clinicId));
});
afterAll(() => s.service.stop());

const ref = (kind: keyof (typeof written)[string]) => ({ patientId: merged, id: written[merged]?.[kind] ?? '' });

const WRITES: Record<string, () => Promise<unknown>> = {
  'add a medical alert': () => client().alerts.createMedicalAlert({ patientId: merged, ...ALERT }, doctor()),
  'change a medical alert': () => client().alerts.updateMedicalAlert({ ...ref('alert'), text: 'Látex' }, doctor()),
  'delete a medical alert': () => client().alerts.deleteMedicalAlert(ref('alert'), doctor()),
  'add a clinical note': () => client().notes.createClinicalNote({ patientId: merged, text: 'Control' }, doctor()),
  'change a clinical note': () => client().notes.updateClinicalNote({ ...ref('note'), text: 'Otro' }, doctor()),
  'delete a clinical note': () => client().notes.deleteClinicalNote(ref('note'), doctor()),
  'sign a clinical note': () => client().notes.signClinicalNote(ref('note'), doctor()),
  'amend a clinical note': () => client().notes.amendClinicalNote({ ...ref('note'), text: 'Otro' }, doctor()),
  'create a form': () => client().forms.createForm({ patientId: merged, templateId: randomUUID() }, doctor()),
  'send a form': () => client().forms.sendForm({ ...ref('form'), channel: 'chat' }, doctor()),
  'withdraw a form': () => client().forms.deleteForm(ref('form'), doctor()),
  'upload a file': () => client().files.beginPatientFile({ patientId: merged, name: 'a.pdf' }, doctor()),
  'change a file': () => client().files.updatePatientFile({ patientId: merged, id: randomUUID(), name: 'b.pdf' }, doctor()),
  'delete a file': () => client().files.deletePatientFile({ patientId: merged, id: randomUUID() }, s.asAdmin(clinicId)),
  'write a prescription': () => client().prescriptions.createPrescription({ patientId: merged, items: [ITEM] }, doctor()),
  'send a prescription': () => client().prescriptions.sendPrescription({ ...ref('prescription'), channel: 'chat' }, doctor()),
};

test.each(Object.entries(WRITES))('%s: the error names the remaining patient', async (_, write) => {
  await expect(write()).rejects.toMatchObject({ reason: 'CONFLICT', details: [{ path: 'merged_into', message: remaining }] });
});

const LISTS: Record<string, (patientId: string) => Promise<{ id: string }[]>> = {
  'medical alerts': async (patientId) => (await client().alerts.listMedicalAlerts({ patientId }, doctor())).alerts,
  'the alerts of the record': async (patientId) => (await s.patients.getPatient({ id: patientId }, doctor())).alerts,
  'clinical notes': async (patientId) => (await client().notes.listClinicalNotes({ patientId }, doctor())).notes,
  forms: async (patientId) => (await client().forms.listForms({ patientId }, doctor())).forms,
  'the alerts that other services show': async (id) => (await s.service.client(LookupService).findPatient({ id, followMerge: true }, doctor())).alerts,
  'appointments of a day': async (patientId) => (await s.appointments.listAppointments({ patientId, date: TUESDAY }, doctor())).appointments,
  'series of appointments': async (patientId) => (await client().series.listSeries({ patientId }, doctor())).series,
  dependants: async (id) => (await client().family.listDependants({ id }, doctor())).dependants,
  prescriptions: async (patientId) => (await client().prescriptions.listPrescriptions({ patientId }, doctor())).prescriptions,
};

test.each(Object.entries(LISTS))('%s: the same by both ids', async (_, list) => {
  const both = await list(remaining);
  expect(both).toHaveLength(2);
  expect(await list(merged)).toEqual(both);
});

test('one by one, too', async () => {
  const { note = '', form = '', prescription = '' } = written[remaining] ?? {};
  const patientId = merged;
  expect(await client().notes.getClinicalNote({ patientId, id: note }, doctor())).toMatchObject({ patients: { id: remaining } });
  expect(await client().forms.getForm({ patientId, id: form }, doctor())).toMatchObject({ patients: { id: remaining } });
  expect(await client().prescriptions.getPrescription({ patientId, id: prescription }, doctor())).toMatchObject({ patients: { id: remaining } });
});
