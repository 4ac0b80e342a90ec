// Reports the storage that each clinic uses in scheduling: photos of doctors, uploaded imports, and files of patients with their thumbnails.
import { storageJob, toIdentity } from '@clinic/lib/usage/storage.ts';
import type { App } from '../app.ts';

export const reportStorage = ({ db, usageReports }: Pick<App, 'db' | 'usageReports'>) =>
  storageJob(
    db,
    ['doctor_photos.content', 'patient_import_chunks.content_sealed', 'patient_file_chunks.content_sealed', 'patient_files.thumbnail_sealed'],
    toIdentity('scheduling', usageReports),
    ['patient_files.size'],
  );
