// Recall knows whom it may write to.
import { subscribe } from '@clinic/lib/events/events.ts';
import { PatientUpdatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../../app.ts';
import { projectPatient } from './project-patients.ts';

export const onPatientUpdatedForRecall = (app: App) =>
  subscribe('recall-patient-updated', 'scheduling', PatientUpdatedSchema, (tx, { patient }, { clinicId }) => projectPatient(app, tx, clinicId, patient));
