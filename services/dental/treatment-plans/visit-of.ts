// The appointment that a step is linked to, which belongs to scheduling.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { App } from '../app.ts';
import { lockVisit, type Visit } from './sql/visits.sql.ts';

export type FoundVisit = Visit & { patient_id: string };

/** Asked before the transaction begins, so that none waits for a neighbour. NOT_FOUND for what is no appointment of the clinic. */
export async function visitOf(app: App, call: Call, id: string): Promise<FoundVisit> {
  if (!isUuid(id)) fail('NOT_FOUND', 'Appointment not found');
  const { patientId, status, revision } = await app.lookup.findAppointment({ id }, callAs(call.caller));
  return { appointment_id: id.toLowerCase(), patient_id: patientId, status, revision };
}

/** Locks the visit, which comes before any lock of a plan, and returns it with its newest status. */
export async function lockFoundVisit(tx: TenantTx, visit: FoundVisit): Promise<FoundVisit> {
  return { ...visit, status: await lockVisit(tx, visit) };
}

/** NOT_FOUND when the visit is another patient's. */
export function checkSamePatient(visit: FoundVisit | undefined, plan: { patient_id: string }): void {
  if (visit && visit.patient_id !== plan.patient_id) fail('NOT_FOUND', 'Appointment not found');
}
