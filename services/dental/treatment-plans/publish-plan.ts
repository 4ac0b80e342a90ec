// Publishes a change of a treatment plan and adds it to the audit log, in the transaction of the change.
import { type AuditEntry, audit, maskChanges } from '@clinic/lib/audit/audit.ts';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { TreatmentPlanUpdatedSchema } from '@clinic/proto/events/v1/dental_pb.js';
import { type PlanRow, toState } from './sql/treatment-plans.sql.ts';

/** The audit log entry of a part of the plan, such as a step, names the plan. */
export async function publishPlanChange(tx: TenantTx, call: Call, plan: PlanRow, entry: AuditEntry): Promise<void> {
  const named = entry.entityId === plan.id ? entry : { ...entry, changes: { treatment_plan_id: plan.id, ...entry.changes } };
  await Promise.all([emit(tx, tx.clinicId, TreatmentPlanUpdatedSchema, toState(plan)), audit(tx, tx.clinicId, call.caller, named)]);
}

/** For the audit log: the change of the total that a user has set, when another option is chosen. */
export const totalChange = (before: bigint | null, { given_total_cents }: PlanRow) => maskChanges({ given_total_cents: before }, { given_total_cents }, []);
