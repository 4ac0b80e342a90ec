import type { Module } from '@clinic/lib/runtime/module.ts';
import type { App } from '../app.ts';
import { onPatientsMerged, onPatientsUnmerged } from './consumers.ts';

export const patientMerges: Module<App> = {
  consumers: (app) => [onPatientsMerged(app), onPatientsUnmerged(app)],
  personal: [{ table: 'patient_merges', ofPatient: 'kept_id = any($ids) or merged_id = any($ids)', erase: 'delete' }],
};
