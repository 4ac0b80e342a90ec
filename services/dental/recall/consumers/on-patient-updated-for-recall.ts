// Recall knows whom it may write to.
import { subscribe } from '@clinic/lib/events/events.ts';
import { PatientUpdatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../../app.ts';
import { seePatient } from '../see-patient.ts';

export const onPatientUpdatedForRecall = (app: App) =>
  subscribe('recall-patient-updated', 'scheduling', PatientUpdatedSchema, (tx, { patient }, { clinicId }) => seePatient(app, tx, clinicId, patient));
