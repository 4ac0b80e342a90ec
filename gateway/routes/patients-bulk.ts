// Patients in bulk and what becomes of their records. Stands before the area of single patients, whose ids would take these words.
import { PatientBulkService } from '@clinic/proto/scheduling/v1/patient_bulk_pb.js';
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import { z } from 'zod';
import type { Area } from '../http/route.ts';
import { date, dui, email, maybe, text, uuid } from './schemas.ts';

const { method: bulk } = PatientBulkService;
const { method: family } = PatientFamilyService;

const one = { params: z.object({ id: uuid }) };
const pair = z.object({ keepId: uuid, mergeId: uuid });
const yesOrNo = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .default('false')
  .transform((value) => value === 'true');
const pairExample = { keepId: '0198a3f2-7c1e-7d4b-9a53-5d1f2c3b4a59', mergeId: '0198a3f2-7c1e-7d4b-9a53-5d1f2c3b4a60' };
const MOST_BYTES = 32 * 1024 * 1024;

export const patientsBulk: Area = {
  prefix: '/api/patients',
  tag: 'Patients in bulk',
  about: 'Patients from and to CSV files, dependants, and records that turn out to be of one person.',
  routes: [
    {
      method: 'post',
      path: '/api/patients/import',
      rpc: bulk.finishPatientImport,
      access: 'user',
      feature: 'csv_import',
      rate: 'api',
      summary: 'Import patients',
      request: {
        query: z.object({ dryRun: yesOrNo }),
        upload: { type: 'text/csv', maxBytes: MOST_BYTES, begin: bulk.beginPatientImport, append: bulk.appendPatientImport },
      },
    },
    {
      method: 'get',
      path: '/api/patients/imports/:id',
      rpc: bulk.getPatientImport,
      access: 'user',
      feature: 'csv_import',
      rate: 'api',
      summary: 'Get an import',
      request: one,
      notFound: 'Import not found',
      errors: ['NOT_FOUND'],
    },
    {
      method: 'get',
      path: '/api/patients/imports/:id/errors.csv',
      rpc: bulk.exportPatientImportErrors,
      access: 'user',
      feature: 'csv_import',
      rate: 'api',
      summary: 'Download the faults of an import',
      request: one,
      download: { type: 'text/csv; charset=utf-8', filename: 'errores.csv' },
      notFound: 'Import not found',
      errors: ['NOT_FOUND'],
    },
    {
      method: 'get',
      path: '/api/patients/export',
      rpc: bulk.exportPatients,
      access: 'user',
      feature: 'csv_export',
      rate: 'api',
      summary: 'Export patients',
      download: { type: 'text/csv; charset=utf-8', filename: 'pacientes.csv' },
    },
    {
      method: 'post',
      path: '/api/patients/merge/preview',
      rpc: family.previewMerge,
      access: 'admin',
      rate: 'api',
      summary: 'Preview a merge',
      request: { body: pair },
      notFound: 'Patient not found',
      errors: ['NOT_FOUND', 'MERGE_REFUSED'],
      example: pairExample,
    },
    {
      method: 'post',
      path: '/api/patients/merge',
      rpc: family.mergePatients,
      access: 'admin',
      rate: 'api',
      summary: 'Merge two patients',
      request: { body: pair },
      creates: true,
      notFound: 'Patient not found',
      errors: ['NOT_FOUND', 'MERGE_REFUSED', 'CONFLICT'],
      example: pairExample,
    },
    { method: 'get', path: '/api/patients/merges', rpc: family.listMerges, access: 'admin', rate: 'api', summary: 'List merges' },
    {
      method: 'post',
      path: '/api/patients/merges/:id/undo',
      rpc: family.undoMerge,
      access: 'admin',
      rate: 'api',
      summary: 'Undo a merge',
      request: one,
      notFound: 'Merge not found',
      errors: ['NOT_FOUND', 'MERGE_NOT_UNDOABLE', 'CONFLICT'],
    },
    {
      method: 'post',
      path: '/api/patients/:id/restore',
      rpc: family.restorePatient,
      access: 'admin',
      rate: 'api',
      summary: 'Take a patient out of the archive',
      request: one,
      notFound: 'Patient not found',
      errors: ['NOT_FOUND', 'CONFLICT'],
    },
    {
      method: 'get',
      path: '/api/patients/:id/dependants',
      rpc: family.listDependants,
      access: 'user',
      rate: 'api',
      summary: 'List dependants',
      request: one,
      notFound: 'Patient not found',
      errors: ['NOT_FOUND'],
    },
    {
      method: 'post',
      path: '/api/patients/:id/dependants',
      rpc: family.createDependant,
      access: 'user',
      rate: 'api',
      summary: 'Add a dependant',
      request: {
        ...one,
        body: z.object({
          fullName: text(200),
          dui: maybe(dui),
          email: maybe(email),
          birthDate: maybe(date),
          gender: maybe(z.enum(['female', 'male', 'other'])),
          address: maybe(text(500)),
          notes: maybe(text(5000)),
        }),
      },
      status: 201,
      creates: true,
      notFound: 'Patient not found',
      errors: ['NOT_FOUND'],
      example: { fullName: 'Luz López', birthDate: '2019-03-01', gender: 'female' },
    },
  ],
};
