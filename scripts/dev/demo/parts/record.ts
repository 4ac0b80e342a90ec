// Medical alerts and clinical notes.
import { ClinicalNoteService } from '@clinic/proto/scheduling/v1/clinical_note_pb.js';
import { MedicalAlertService } from '@clinic/proto/scheduling/v1/medical_alert_pb.js';
import { ALERTS, AMENDMENT, NOTES } from '../data/record.ts';
import type { Demo } from '../demo.ts';
import { somePatients } from '../patients.ts';

const NOTED = 20;

export async function record(demo: Demo): Promise<void> {
  const alerts = demo.client(MedicalAlertService, 'scheduling');
  const notes = demo.client(ClinicalNoteService, 'scheduling');
  for (const [index, { id: patientId }] of (await somePatients(demo, NOTED)).entries()) {
    const alert = ALERTS[index % 5];
    if (alert) await alerts.createMedicalAlert({ patientId, ...alert }, demo.admin(`alert-${index}`));
    const text = NOTES[index % NOTES.length] ?? '';
    const { id } = await notes.createClinicalNote({ patientId, text }, demo.admin(`note-${index}`));
    if (index % 3 === 0) continue; // a draft
    await notes.signClinicalNote({ patientId, id }, demo.admin(`signature-${index}`));
    if (index % 10 === 1) await notes.amendClinicalNote({ patientId, id, text: AMENDMENT }, demo.admin(`amendment-${index}`));
  }
}
