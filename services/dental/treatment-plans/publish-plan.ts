// What every change of a treatment plan leaves behind: a higher revision, an event and a line in the audit log.
import { type AuditEntry, audit } from '@clinic/lib/audit/audit.ts';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { TreatmentPlanUpdatedSchema } from '@clinic/proto/events/v1/dental_pb.js';
import type { PlanRow } from './sql/treatment-plans.sql.ts';

/** Tells others of the plan as it is now, and the audit log of the change. */
export async function publishPlanChange(tx: TenantTx, call: Call, plan: PlanRow, entry: AuditEntry): Promise<void> {
  const { id, patient_id, status, revision } = plan;
  await Promise.all([
    emit(tx, tx.clinicId, TreatmentPlanUpdatedSchema, { treatmentPlanId: id, patientId: patient_id, status, revision }),
    audit(tx, tx.clinicId, call.caller, entry),
  ]);
}

export const checkNotes = (notes: string | undefined) => parseOptionalText('notes', notes, 5000);

/** Written by people about people, so the audit log only says that they changed. */
export const PERSONAL_FIELDS = ['title', 'notes', 'procedure', 'description', 'updated_at'];
