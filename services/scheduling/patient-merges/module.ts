// Merges of two records of one patient, and undoing them.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import type { App } from '../app.ts';
import { mergePatients, previewMerge } from './merge-patients.ts';
import { listMerges, undoMerge } from './undo-merge.ts';

export const patientMerges: Module<App> = {
  rpcs: [rpcs(PatientFamilyService, { previewMerge, mergePatients, undoMerge, listMerges })],
  personal: [{ table: 'patient_merges', ofPatient: 'kept_id = any($ids) or merged_id = any($ids)', erase: 'delete' }],
};
