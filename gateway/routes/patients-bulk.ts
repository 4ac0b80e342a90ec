// Must precede routes/patients.ts in areas.ts, whose `/:id` would match `/export` and `/merges`.
import { MAX_IMPORT_BYTES } from '@clinic/lib/formats/upload-limits.ts';
import { PatientBulkService } from '@clinic/proto/scheduling/v1/patient_bulk_pb.js';
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import { area } from './area.ts';
import { details } from './patients.ts';
import { flag, pages, text, uuid } from './schemas.ts';

const { method: bulk } = PatientBulkService;
const { method: family } = PatientFamilyService;

const pair = { keepId: uuid, mergeId: uuid };
const example = { keepId: '0198a3f2-7c1e-7d4b-9a53-5d1f2c3b4a59', mergeId: '0198a3f2-7c1e-7d4b-9a53-5d1f2c3b4a60' };
export const csvUpload = { type: 'text/csv', maxBytes: MAX_IMPORT_BYTES, begin: bulk.beginPatientImport, append: bulk.appendPatientImport };

export const patientsBulk = area({
  prefix: '/api/patients',
  tag: 'Patients in bulk',
  about: 'Import and export of patients as CSV, dependants, and merging of duplicate records.',
  all: { scope: 'patients', notFound: 'Patient not found' },
  routes: [
    {
      method: 'post',
      path: '/api/patients/import',
      rpc: bulk.finishPatientImport,
      operation: 'importPatients',
      feature: 'csv_import',
      summary: 'Import patients',
      query: { dryRun: flag },
      upload: csvUpload,
    },
    { method: 'get', path: '/api/patients/imports/:id', rpc: bulk.getPatientImport, feature: 'csv_import', notFound: 'Import not found' },
    {
      method: 'get',
      path: '/api/patients/imports/:id/errors.csv',
      rpc: bulk.exportPatientImportErrors,
      feature: 'csv_import',
      summary: 'Download the errors of an import',
      download: 'errores.csv',
      notFound: 'Import not found',
    },
    { method: 'get', path: '/api/patients/export', rpc: bulk.exportPatients, feature: 'csv_export', guards: ['exports_need_admin'], download: 'pacientes.csv' },
    {
      method: 'post',
      path: '/api/patients/merge/preview',
      rpc: family.previewMerge,
      body: pair,
      notFound: 'Patient not found',
      errors: ['MERGE_REFUSED'],
      example,
    },
    {
      method: 'post',
      path: '/api/patients/merge',
      rpc: family.mergePatients,
      body: pair,
      status: 200,
      creates: true,
      notFound: 'Patient not found',
      errors: ['MERGE_REFUSED', 'CONFLICT'],
      example,
    },
    { method: 'get', path: '/api/patients/merges', rpc: family.listMerges, query: { patient_id: uuid.optional(), ...pages } },
    { method: 'post', path: '/api/patients/merges/:id/undo', rpc: family.undoMerge, notFound: 'Merge not found', errors: ['MERGE_NOT_UNDOABLE', 'CONFLICT'] },
    { method: 'post', path: '/api/patients/:id/restore', rpc: family.restorePatient, errors: ['CONFLICT'] },
    { method: 'get', path: '/api/patients/:id/dependants', rpc: family.listDependants, query: { ...pages } },
    {
      method: 'post',
      path: '/api/patients/:id/dependants',
      rpc: family.createDependant,
      summary: 'Create a dependant',
      body: { fullName: text(200), ...details },
      creates: true,
      errors: ['CONFLICT'],
      example: { fullName: 'Luz López', birthDate: '2019-03-01', gender: 'female' },
    },
  ],
});
