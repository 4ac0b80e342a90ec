// An erased patient is told like any other change, so that who keeps a name or a phone asks again and finds none.
import type { SystemTx } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { PatientUpdatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { toState } from './sql/patients.sql.ts';
import { listErased } from './sql/subjects.sql.ts';

export async function tellOfErasure(tx: SystemTx, clinicId: string, patientIds: string[]): Promise<void> {
  for (const patient of await listErased(tx, clinicId, patientIds))
    await emit(tx, clinicId, PatientUpdatedSchema, { patientId: patient.id, patient: toState(patient) });
}
