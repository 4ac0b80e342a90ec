// What an event tells of a patient. Who has opted out is taken out of what waits, at once.
import type { SystemTx } from '@clinic/lib/db/db.ts';
import type { PatientState } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../../app.ts';
import { withdrawOptedOut } from '../sql/recall-contacts.sql.ts';
import { upsertPatients } from '../sql/recall-projection.sql.ts';

/** Events from before states were told say nothing here; a rebuild does. */
export async function projectPatient(app: App, tx: SystemTx, clinicId: string, patient: PatientState | undefined): Promise<void> {
  if (!patient) return;
  const now = app.clock.now();
  await upsertPatients(tx, [clinicId], [patient], now);
  if (patient.recallOptedOut) await withdrawOptedOut(tx, clinicId, patient.patientId, now);
}
