// What a phone was last asked by a message that the clinic sent unprompted.
import { row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { decodeReference, type ReferenceKind } from '../outbound/reference-rules.ts';
import type { OpenQuestion } from './rules/session.ts';

// A message that was never tried cannot be answered.
const lastStatement = sql<{ kind: string; reference: string }>(`
  select kind, reference from outbound
  where clinic_id = $1 and phone = $2 and claimed_at > $3 and kind = any($4) and reference is not null
    and state in ('sending', 'uncertain', 'sent', 'delivered', 'read')
  order by claimed_at desc limit 1`);

const DAY_MS = 86_400_000;
const OPEN_DAYS = 3;
const RECALL_DAYS = 14;

const findLast = (tx: TenantTx, phone: string, now: Date, days: number, kinds: ReferenceKind[]) =>
  row(tx, lastStatement, [tx.clinicId, phone, new Date(now.getTime() - days * DAY_MS), kinds]);

/** Undefined when nothing was asked in the last three days. */
export async function findOpenQuestion(tx: TenantTx, phone: string, now: Date): Promise<OpenQuestion | undefined> {
  const last = await findLast(tx, phone, now, OPEN_DAYS, ['appointment_reminder', 'waitlist', 'recall']);
  const reference = last && decodeReference(last.kind, last.reference);
  switch (reference?.kind) {
    case 'appointment_reminder':
      return { kind: 'reminder', appointmentId: reference.appointmentId };
    case 'waitlist':
      return { kind: 'waitlist', entryId: reference.entryId, offerId: reference.offerId };
    case 'recall':
      return { kind: 'recall' };
    default:
      return undefined;
  }
}

/** The reference of the recall message that a message of this phone answers, whatever it says: one of the last fourteen days. */
export async function findRecallReference(tx: TenantTx, phone: string, now: Date): Promise<string | undefined> {
  return (await findLast(tx, phone, now, RECALL_DAYS, ['recall']))?.reference;
}
