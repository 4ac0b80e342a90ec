import { MAX_PATIENT_FILE_BYTES } from '@clinic/lib/formats/upload-limits.ts';
import { PatientFileService } from '@clinic/proto/scheduling/v1/patient_file_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { clearable, date, pages, search, text } from './schemas.ts';

const { method } = PatientFileService;
const kind = z.enum(['xray', 'photo', 'document', 'other']);
const description = text(1_000);

export const patientFiles = area({
  prefix: '/api/patients',
  tag: 'Files',
  about: 'X-rays, photos and documents of patients, encrypted at rest.',
  all: { scope: 'clinical', notFound: 'File not found' },
  routes: [
    {
      method: 'get',
      path: '/api/patients/:patientId/files',
      rpc: method.listPatientFiles,
      query: { kind: kind.optional(), search: search(200), from: date.optional(), to: date.optional(), ...pages },
      notFound: 'Patient not found',
    },
    {
      method: 'post',
      path: '/api/patients/:patientId/files',
      rpc: method.finishPatientFile,
      operation: 'uploadPatientFile',
      query: { kind: kind.optional(), description: description.optional() },
      upload: {
        type: 'multipart/form-data',
        maxBytes: MAX_PATIENT_FILE_BYTES,
        begin: method.beginPatientFile,
        append: method.appendPatientFile,
        nameField: 'name',
      },
      errors: ['CONFLICT', 'STORAGE_QUOTA_REACHED', 'MALWARE_FOUND'],
      creates: true,
      notFound: 'Patient not found',
    },
    { method: 'get', path: '/api/patients/:patientId/files/:id', rpc: method.getPatientFile },
    {
      method: 'patch',
      path: '/api/patients/:patientId/files/:id',
      rpc: method.updatePatientFile,
      body: { name: text(200).optional(), kind: kind.optional(), description: clearable(description) },
      errors: ['CONFLICT'],
      example: { name: 'panoramica.jpg', kind: 'xray', description: 'Panorámica antes de la extracción' },
    },
    { method: 'delete', path: '/api/patients/:patientId/files/:id', rpc: method.deletePatientFile, errors: ['CONFLICT', 'FORM_SIGNED'] },
    { method: 'get', path: '/api/patients/:patientId/files/:id/content', rpc: method.downloadPatientFile },
    { method: 'get', path: '/api/patients/:patientId/files/:id/thumbnail', rpc: method.getPatientFileThumbnail, notFound: 'Thumbnail not found' },
  ],
});
