import type { Module } from '@clinic/lib/runtime/module.ts';
import type { App } from '../app.ts';
import { onPatientsMerged, onPatientsUnmerged } from './consumers.ts';
import { followMergesJob } from './follow-merges.ts';

export const patientMerges: Module<App> = {
  consumers: (app) => [onPatientsMerged(app), onPatientsUnmerged(app)],
  jobs: (app) => [followMergesJob(app)],
  personal: [{ table: 'patient_merges', ofPatient: 'kept_id = any($ids) or merged_id = any($ids)', erase: 'delete' }],
};
