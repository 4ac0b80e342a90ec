// Slot drafts, which hold a slot until they expire.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { execute, row, type SystemTx, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import type { SlotDraftSchema } from '@clinic/proto/scheduling/v1/slot_draft_pb.js';

export type SlotDraftRow = { id: string; doctor_id: string; appointment_date: string; start_time: string; expires_at: Date };

export function toProto(draft: SlotDraftRow): MessageInitShape<typeof SlotDraftSchema> {
  return {
    id: draft.id,
    doctorId: draft.doctor_id,
    appointmentDate: draft.appointment_date,
    startTime: draft.start_time,
    expiresAt: timestampFromDate(draft.expires_at),
  };
}

const insertStatement = sql(`
  insert into slot_drafts (clinic_id, id, doctor_id, appointment_date, start_time, busy, expires_at, kind)
  values ($1, $2, $3, $4, $5, tstzrange($6, $7), $8, $9)`);

/** A draft is held by a user, or by an offer of the waitlist. */
export type Holder = 'desk' | 'offer';

/** `hold` in epoch milliseconds. */
export async function insertDraft(tx: TenantTx, draft: SlotDraftRow, hold: { start: number; end: number }, holder: Holder = 'desk'): Promise<void> {
  const { id, doctor_id, appointment_date, start_time, expires_at } = draft;
  const values = [id, doctor_id, appointment_date, start_time, new Date(hold.start), new Date(hold.end), expires_at, holder];
  await execute(tx, insertStatement, [tx.clinicId, ...values]);
}

const deleteStatement = sql('delete from slot_drafts where clinic_id = $1 and id = $2 and ($3::uuid is null or doctor_id = $3) and kind = $4');

/** Whether the draft existed, of `doctorId` unless that is null. Drafts of offers are not deleted for users, and vice versa. */
export async function deleteDraft(tx: TenantTx, id: string, doctorId: string | null, holder: Holder = 'desk'): Promise<boolean> {
  return (await execute(tx, deleteStatement, [tx.clinicId, id, doctorId, holder])) === 1;
}

const deleteExpiredStatement = sql('delete from slot_drafts where expires_at < $1');

/** Returns the number of deleted drafts. */
export function deleteExpiredDrafts(tx: SystemTx, before: Date): Promise<number> {
  return execute(tx, deleteExpiredStatement, [before]);
}

const findOverlappingStatement = sql<{ id: string }>(`
  select s.id from slot_drafts s join appointments a on a.clinic_id = s.clinic_id and a.doctor_id = s.doctor_id and a.busy && s.busy
  where s.clinic_id = $1 and s.doctor_id = $2 and a.id = $3 and s.expires_at > $4 limit 1`);

/** Whether an unexpired draft overlaps the time of an appointment, which need not be active. */
export async function isSlotHeld(tx: TenantTx, appointment: { id: string; doctor_id: string }, now: Date): Promise<boolean> {
  return (await row(tx, findOverlappingStatement, [tx.clinicId, appointment.doctor_id, appointment.id, now])) !== undefined;
}
