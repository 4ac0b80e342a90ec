// Recall knows whom it may write to.
import { subscribe } from '@clinic/lib/events/events.ts';
import { PatientCreatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../../app.ts';
import { projectPatient } from './project-patients.ts';

export const onPatientCreatedForRecall = (app: App) =>
  subscribe('recall-patient-created', 'scheduling', PatientCreatedSchema, (tx, { patient }, { clinicId }) => projectPatient(app, tx, clinicId, patient));
