// Files of patients: X-rays, photos and documents.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { PatientFileService } from '@clinic/proto/scheduling/v1/patient_file_pb.js';
import type { App } from '../app.ts';
import { deletePatientFile, updatePatientFile } from './change-file.ts';
import { keyContext, thumbnailContext } from './content-keys.ts';
import { downloadPatientFile, getPatientFileThumbnail } from './download-file.ts';
import { deleteFilesJob, makeThumbnailJob } from './file-jobs.ts';
import { getPatientFile, getStorageUsage, listPatientFiles } from './list-files.ts';
import { reportStorage } from './storage-job.ts';
import { appendPatientFile, beginPatientFile, finishPatientFile } from './upload-file.ts';

const encrypted = { table: 'patient_files', key: ['clinic_id', 'id'] };

export const files: Module<App> = {
  rpcs: [
    rpcs(PatientFileService, {
      listPatientFiles,
      getPatientFile,
      downloadPatientFile,
      getPatientFileThumbnail,
      getStorageUsage,
      beginPatientFile,
      appendPatientFile,
      finishPatientFile,
      updatePatientFile,
      deletePatientFile,
    }),
  ],
  jobs: (app) => [makeThumbnailJob(app), deleteFilesJob(app), reportStorage(app)],
  // Deleting the row of a file makes its content unreadable, since it has the key; the content follows within minutes.
  personal: [
    {
      table: 'patient_file_chunks',
      ofPatient: 'file_id in (select f.id from patient_files f where f.clinic_id = $1 and f.patient_id = any($ids))',
      erase: 'delete',
      secret: ['content_sealed'],
    },
    { table: 'patient_files', ofPatient: 'patient_id = any($ids)', erase: 'delete', secret: ['key_sealed'] },
    { table: 'deleted_files', withClinic: 'keep', why: 'a job deletes the contents of these files, and then the rows' },
  ],
  encrypted: [
    { ...encrypted, column: 'key_sealed', context: ({ clinic_id, id }) => keyContext(clinic_id, id) },
    { ...encrypted, column: 'thumbnail_sealed', context: ({ clinic_id, id }) => thumbnailContext(clinic_id, id) },
  ],
};
