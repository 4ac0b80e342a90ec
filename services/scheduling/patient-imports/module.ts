// Imports of patients from CSV files.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { PatientBulkService } from '@clinic/proto/scheduling/v1/patient_bulk_pb.js';
import type { App } from '../app.ts';
import { finishUpload } from './finish-upload.ts';
import { exportPatientImportErrors, getPatientImport } from './get-patient-import.ts';
import { PATIENTS } from './patients-kind.ts';
import { chunkContext, deleteOldImportsJob, importJob } from './run-import.ts';
import { appendPatientImport, beginPatientImport } from './upload-import.ts';

export const patientImports: Module<App> = {
  rpcs: [
    rpcs(PatientBulkService, {
      beginPatientImport,
      appendPatientImport,
      finishPatientImport: finishUpload(PATIENTS),
      getPatientImport,
      exportPatientImportErrors,
    }),
  ],
  jobs: (app) => [importJob(app, PATIENTS), deleteOldImportsJob(app)],
  personal: [{ table: 'patient_import_faults' }, { table: 'patient_import_chunks' }, { table: 'patient_imports' }],
  encrypted: [
    {
      table: 'patient_import_chunks',
      key: ['clinic_id', 'import_id', 'seq'],
      column: 'content_sealed',
      context: ({ clinic_id, import_id, seq }) => chunkContext(clinic_id, import_id, Number(seq)),
    },
  ],
};
