// Rebuilds recall's projection: reads the patients and appointments of all clinics from scheduling and stores those with a newer revision,
// as events do. It may run concurrently with events, and again after an interruption.
import { randomUUID } from 'node:crypto';
import { asSystem } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { App } from '../app.ts';
import { upsertAppointments, upsertPatients } from './sql/recall-projection.sql.ts';

export const REBUILD_JOB = 'rebuild-recall';
const PAGE = 2_000;

export const rebuildProjectionJob = (app: App) => job(REBUILD_JOB, { limitSeconds: 6 * 3_600 }, () => rebuildProjection(app));

export async function rebuildProjection(app: App): Promise<void> {
  const asDental = callAs(serviceCaller('dental', randomUUID()));
  let last = { afterClinicId: '', afterId: '' };
  for (;;) {
    const { patients, clinicIds } = await app.lookup.listPatientStates({ ...last, limit: PAGE }, asDental);
    await asSystem(app.db, (tx) => upsertPatients(tx, clinicIds, patients, app.clock.now()));
    if (patients.length < PAGE) break;
    last = { afterClinicId: clinicIds.at(-1) ?? '', afterId: patients.at(-1)?.patientId ?? '' };
  }
  last = { afterClinicId: '', afterId: '' };
  for (;;) {
    const { appointments, clinicIds } = await app.lookup.listAppointmentStates({ ...last, limit: PAGE }, asDental);
    await asSystem(app.db, (tx) => upsertAppointments(tx, clinicIds, appointments));
    if (appointments.length < PAGE) break;
    last = { afterClinicId: clinicIds.at(-1) ?? '', afterId: appointments.at(-1)?.appointmentId ?? '' };
  }
}
