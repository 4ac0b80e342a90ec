// Slot drafts, which hold a slot until they expire.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { execute, row, type SystemTx, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import type { SlotDraftSchema } from '@clinic/proto/scheduling/v1/slot_draft_pb.js';
import type { Interval } from './interval-rules.ts';

type SlotDraftRow = {
  id: string;
  doctor_id: string;
  appointment_date: string;
  start_time: string;
  expires_at: Date;
  /** As requested. */
  type_id: string | null;
  duration_minutes: number | null;
  /** The chair or room that is held. */
  resource_id: string | null;
};

export function toProto(draft: SlotDraftRow, existing: boolean): MessageInitShape<typeof SlotDraftSchema> {
  return {
    existing,
    id: draft.id,
    doctorId: draft.doctor_id,
    appointmentDate: draft.appointment_date,
    startTime: draft.start_time,
    expiresAt: timestampFromDate(draft.expires_at),
  };
}

const insertStatement = sql(`
  insert into slot_drafts (clinic_id, id, doctor_id, appointment_date, start_time, busy, expires_at, kind, held_by, type_id, duration_minutes, resource_id)
  values ($1, $2, $3, $4, $5, tstzrange($6, $7), $8, $9, $10, $11, $12, $13)`);

/** `offer`: an offer of the waitlist. `desk`: a user, the bot, or an online booking that is not confirmed yet. */
type Holder = 'desk' | 'offer';

/** `userId` is null for drafts of the bot, of online bookings and of offers. */
export async function insertDraft(tx: TenantTx, draft: SlotDraftRow, hold: Interval, holder: Holder, userId: string | null): Promise<void> {
  const { id, doctor_id, appointment_date, start_time, expires_at, type_id, duration_minutes, resource_id } = draft;
  const values = [id, doctor_id, appointment_date, start_time, new Date(hold.start), new Date(hold.end), expires_at, holder, userId];
  await execute(tx, insertStatement, [tx.clinicId, ...values, type_id, duration_minutes, resource_id]);
}

const renewStatement = sql<{ id: string }>(`
  update slot_drafts set expires_at = $6
  where clinic_id = $1 and doctor_id = $2 and appointment_date = $3 and start_time = $4 and held_by = $5 and expires_at > $7
    and (type_id, duration_minutes) is not distinct from ($8::uuid, $9::int) and ($10::uuid is null or resource_id = $10)
  returning id`);

/** `resource_id` is the requested chair or room; null: any. */
type Renewal = Omit<SlotDraftRow, 'id'>;

/** Extends the unexpired draft that a user has of this slot, and returns its id. */
export async function renewDraft(tx: TenantTx, draft: Renewal, userId: string, now: Date): Promise<string | undefined> {
  const { doctor_id, appointment_date, start_time, expires_at, type_id, duration_minutes, resource_id } = draft;
  const values = [doctor_id, appointment_date, start_time, userId, expires_at, now, type_id, duration_minutes, resource_id];
  return (await row(tx, renewStatement, [tx.clinicId, ...values]))?.id;
}

const deleteStatement = sql('delete from slot_drafts where clinic_id = $1 and id = $2 and ($3::uuid is null or doctor_id = $3) and kind = $4');

/** Deletes a draft of this kind of holder, for `doctorId` unless that is null. Returns whether it existed. */
export const deleteDraft = async (tx: TenantTx, id: string, doctorId: string | null, holder: Holder = 'desk') =>
  (await execute(tx, deleteStatement, [tx.clinicId, id, doctorId, holder])) === 1;

const deleteExpiredStatement = sql("delete from slot_drafts where expires_at < $1 or (kind = 'desk' and expires_at > $2)");

/** Deletes drafts that expired before `before`, and drafts of the desk that expire after `latest`. Returns their number. */
export const deleteExpiredDrafts = (tx: SystemTx, before: Date, latest: Date) => execute(tx, deleteExpiredStatement, [before, latest]);

const findStateStatement = sql<{ held: boolean; working: boolean }>(`
  select exists (select from slot_drafts s where s.clinic_id = $1 and (s.doctor_id = a.doctor_id or s.resource_id = a.resource_id) and s.busy && a.busy and s.expires_at > $3) as held,
    d.is_active and not exists (
      select from doctor_vacations v where v.clinic_id = $1 and v.doctor_id = a.doctor_id and a.appointment_date between v.start_date and v.end_date
    ) as working
  from appointments a join doctors d on d.clinic_id = a.clinic_id and d.id = a.doctor_id where a.clinic_id = $1 and a.id = $2`);

/** Whether an unexpired draft overlaps the time of an appointment, which need not be active, and whether its doctor is active and not on vacation. */
export const findSlotState = (tx: TenantTx, appointmentId: string, now: Date) => row(tx, findStateStatement, [tx.clinicId, appointmentId, now]);
