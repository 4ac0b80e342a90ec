// Comes before routes/patients.ts in areas.ts, whose `/:id` would match `/import` and `/export`.
import { PatientBulkService } from '@clinic/proto/scheduling/v1/patient_bulk_pb.js';
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { date, dui, email, flag, maybe, pages, text, uuid } from './schemas.ts';

const { method: bulk } = PatientBulkService;
const { method: family } = PatientFamilyService;

const pair = { keepId: uuid, mergeId: uuid };
const example = { keepId: '0198a3f2-7c1e-7d4b-9a53-5d1f2c3b4a59', mergeId: '0198a3f2-7c1e-7d4b-9a53-5d1f2c3b4a60' };
export const MAX_IMPORT_BYTES = 32 * 1024 * 1024;

export const patientsBulk = area({
  prefix: '/api/patients',
  tag: 'Patients in bulk',
  about: 'Import and export of patients as CSV, dependants, and merging of duplicate records.',
  all: { scope: 'patients' },
  routes: [
    {
      method: 'post',
      path: '/api/patients/import',
      rpc: bulk.finishPatientImport,
      operation: 'importPatients',
      feature: 'csv_import',
      summary: 'Import patients',
      query: { dryRun: flag },
      upload: { type: 'text/csv', maxBytes: MAX_IMPORT_BYTES, begin: bulk.beginPatientImport, append: bulk.appendPatientImport },
    },
    { method: 'get', path: '/api/patients/imports/:id', rpc: bulk.getPatientImport, feature: 'csv_import', notFound: 'Import not found' },
    {
      method: 'get',
      path: '/api/patients/imports/:id/errors.csv',
      rpc: bulk.exportPatientImportErrors,
      feature: 'csv_import',
      summary: 'Download the errors of an import',
      download: { type: 'text/csv; charset=utf-8', filename: 'errores.csv' },
      notFound: 'Import not found',
    },
    {
      method: 'get',
      path: '/api/patients/export',
      rpc: bulk.exportPatients,
      feature: 'csv_export',
      guard: 'exports_need_admin',
      download: { type: 'text/csv; charset=utf-8', filename: 'pacientes.csv' },
    },
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
      creates: true,
      notFound: 'Patient not found',
      errors: ['MERGE_REFUSED', 'CONFLICT'],
      example,
    },
    { method: 'get', path: '/api/patients/merges', rpc: family.listMerges, query: { patient_id: uuid.optional(), ...pages } },
    { method: 'post', path: '/api/patients/merges/:id/undo', rpc: family.undoMerge, notFound: 'Merge not found', errors: ['MERGE_NOT_UNDOABLE', 'CONFLICT'] },
    { method: 'post', path: '/api/patients/:id/restore', rpc: family.restorePatient, notFound: 'Patient not found', errors: ['CONFLICT'] },
    { method: 'get', path: '/api/patients/:id/dependants', rpc: family.listDependants, query: { ...pages }, notFound: 'Patient not found' },
    {
      method: 'post',
      path: '/api/patients/:id/dependants',
      rpc: family.createDependant,
      summary: 'Create a dependant',
      body: {
        fullName: text(200),
        dui: maybe(dui),
        email: maybe(email),
        birthDate: maybe(date),
        gender: maybe(z.enum(['female', 'male', 'other'])),
        address: maybe(text(500)),
        notes: maybe(text(5000)),
      },
      status: 201,
      creates: true,
      notFound: 'Patient not found',
      errors: ['CONFLICT'],
      example: { fullName: 'Luz López', birthDate: '2019-03-01', gender: 'female' },
    },
  ],
});
