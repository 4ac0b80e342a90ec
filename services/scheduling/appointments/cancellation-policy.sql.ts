import { row, sql, type TenantTx } from '@clinic/lib/db/db.ts';

export type PolicyRow = { notice_hours: number; text: string | null; no_show_limit: number };

const findPolicyStatement = sql<PolicyRow>(`
  select coalesce(t.cancellation_notice_hours, c.cancellation_notice_hours) as notice_hours, coalesce(t.cancellation_text, c.cancellation_text) as text,
    c.booking_no_show_limit as no_show_limit
  from clinics c left join appointment_types t on t.clinic_id = c.clinic_id and t.id = $2 where c.clinic_id = $1`);

/** The cancellation policy and the no-show limit for appointments of a type, or of none. */
export const findPolicy = async (tx: TenantTx, typeId: string | null) =>
  (await row(tx, findPolicyStatement, [tx.clinicId, typeId])) ?? { notice_hours: 0, text: null, no_show_limit: 0 };
