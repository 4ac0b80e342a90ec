// What a phone was asked last by a message that nobody had asked for: found among the messages that went out.
import { row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import type { Asked } from './rules/session.ts';

// What was never tried cannot be answered.
const lastStatement = sql<{ kind: string; reference: string }>(`
  select kind, reference from outbound
  where clinic_id = $1 and phone = $2 and claimed_at > $3 and kind in ('appointment_reminder', 'waitlist', 'recall') and reference is not null
    and state in ('sending', 'uncertain', 'sent', 'delivered', 'read')
  order by claimed_at desc limit 1`);

const REMEMBER_MS = 3 * 86_400_000;
const RECALL_MS = 14 * 86_400_000;

/** Undefined when nothing was asked in the last three days. */
export async function findAsked(tx: TenantTx, phone: string, now: Date): Promise<Asked | undefined> {
  const last = await row(tx, lastStatement, [tx.clinicId, phone, new Date(now.getTime() - REMEMBER_MS)]);
  if (!last) return undefined;
  const [first = '', second = ''] = last.reference.split('/');
  if (last.kind === 'appointment_reminder') return { kind: 'reminder', appointmentId: first };
  return last.kind === 'waitlist' ? { kind: 'waitlist', entryId: first, offerId: second } : { kind: 'recall', contactId: first };
}

const recallStatement = sql<{ reference: string }>(`
  select reference from outbound
  where clinic_id = $1 and phone = $2 and claimed_at > $3 and kind = 'recall' and reference is not null
    and state in ('sending', 'uncertain', 'sent', 'delivered', 'read')
  order by claimed_at desc limit 1`);

/** The recall that a message of this phone answers, whatever it says. */
export async function findRecall(tx: TenantTx, phone: string, now: Date): Promise<string | undefined> {
  return (await row(tx, recallStatement, [tx.clinicId, phone, new Date(now.getTime() - RECALL_MS)]))?.reference;
}
