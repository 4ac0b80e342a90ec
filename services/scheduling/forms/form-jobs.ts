// Stores the PDF of each signed form once as a file of its patient: the signature queues a job, and each night forms without a file are queued again.
// Also deletes each night the forms that nobody has filled in for a long time; their links stop working.
import { asSystem, inTenant } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { enqueue, job } from '@clinic/lib/jobs/jobs.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { App } from '../app.ts';
import { findZone } from '../clinics/clinics.sql.ts';
import { asClinic } from '../clinics/page-clinic.ts';
import { cleanName } from '../files/file-rules.ts';
import { storeFile } from '../files/store-file.ts';
import { drawForm } from './form-document.ts';
import { findForm, listWithoutFile, purgeOpenForms, setFile } from './forms.sql.ts';

export const STORE_SIGNED_FORM = 'store-signed-form';
const BATCH = 1_000;

type Signed = { clinicId: string; id: string };

export const storeSignedFormJob = (app: App) => job<Signed>(STORE_SIGNED_FORM, { concurrency: 1 }, (signed) => storeSignedForm(app, signed));

/** Concurrent and interrupted runs leave a single file: the one that the form names. */
export async function storeSignedForm(app: Pick<App, 'db' | 'clock' | 'keys' | 'files' | 'profile'>, { clinicId, id }: Signed): Promise<void> {
  const form = await inTenant(app.db, clinicId, (tx) => findForm(tx, id));
  if (!form?.signed_at || form.file_id) return;
  const caller = asClinic(clinicId);
  const [clinic, timezone] = await Promise.all([app.profile.getClinicProfile({}, callAs(caller)), findZone(app.db, clinicId)]);
  const { content } = await drawForm(clinic, form, timezone);
  const name = cleanName(`${form.title.replaceAll(/[/\\]/g, '-')}.pdf`); // a slash in the title separates no folders
  const document = { patientId: form.patient_id, name, kind: 'document', contentType: 'application/pdf', content } as const;
  await storeFile(app, caller, clinicId, document, async (tx, fileId) => {
    if (!(await setFile(tx, id, fileId))) fail('CONFLICT');
  });
}

const OPEN_DAYS = 90;
const STORED_AFTER_MS = 3_600_000;
const DAY_MS = 86_400_000;

export const purgeFormsJob = ({ db, clock }: Pick<App, 'db' | 'clock'>) =>
  job('purge-forms', { daily: { at: '03:40' } }, async () => {
    const now = clock.now().getTime();
    const before = new Date(now - OPEN_DAYS * DAY_MS);
    // As the system: forms of all clinics.
    while ((await asSystem(db, (tx) => purgeOpenForms(tx, before, BATCH))) === BATCH);
    await asSystem(db, async (tx) => {
      for (const { clinic_id, id } of await listWithoutFile(tx, new Date(now - STORED_AFTER_MS), BATCH))
        await enqueue(tx, STORE_SIGNED_FORM, { clinicId: clinic_id, id } satisfies Signed);
    });
  });
