// Offers of slots to waitlist entries, and their outcomes.
import { execute, row, rows, type SystemTx, sql, type TenantTx, type Tx } from '@clinic/lib/db/db.ts';
import type { OfferedSlot } from './waitlist-entries.sql.ts';

export type OfferRow = OfferedSlot & { id: string; entry_id: string; expires_at: Date };
export type Outcome = 'accepted' | 'declined' | 'expired' | 'withdrawn';

const insertStatement = sql(`
  insert into waitlist_offers (clinic_id, id, entry_id, doctor_id, appointment_date, start_time, end_time, starts_at, expires_at, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`);

export async function insertOffer(tx: TenantTx, offer: OfferRow, now: Date): Promise<void> {
  const { id, entry_id, doctor_id, appointment_date, start_time, end_time, starts_at, expires_at } = offer;
  await execute(tx, insertStatement, [tx.clinicId, id, entry_id, doctor_id, appointment_date, start_time, end_time, starts_at, expires_at, now]);
}

const COLUMNS = 'id, entry_id, doctor_id, appointment_date, start_time, end_time, starts_at, expires_at';

const findOpenStatement = sql<OfferRow>(`
  select ${COLUMNS} from waitlist_offers where clinic_id = $1 and entry_id = $2 and status = 'open' and ($3::uuid is null or id = $3)`);

/** The open offer of an entry; undefined when `id` is another one. */
export const findOpenOffer = (tx: TenantTx, entryId: string, id?: string) => row(tx, findOpenStatement, [tx.clinicId, entryId, id ?? null]);

const startStatement = sql<{ expires_at: Date }>(`
  with offer as (
    update waitlist_offers set expires_at = least($4, starts_at)
    where clinic_id = $1 and id = $2 and status = 'open' and expires_at > $3 returning clinic_id, id, expires_at
  ), draft as (
    update slot_drafts d set expires_at = o.expires_at from offer o where d.clinic_id = o.clinic_id and d.id = o.id
  )
  select expires_at from offer`);

/** Makes the offer and its draft expire at `until`, or when the slot begins if that is earlier. Undefined when the offer is not open. */
export const expireOfferAt = async (tx: Tx, clinicId: string, id: string, until: Date, now: Date) =>
  (await row(tx, startStatement, [clinicId, id, now, until]))?.expires_at;

const findDueStatement = sql<OfferRow>(`
  select ${COLUMNS} from waitlist_offers where clinic_id = $1 and id = $2 and status = 'open' and expires_at <= $3`);

/** The offer, if it is open and has expired. */
export const findDueOffer = (tx: TenantTx, id: string, now: Date) => row(tx, findDueStatement, [tx.clinicId, id, now]);

const listDueStatement = sql<{ clinic_id: string; id: string }>(`
  select clinic_id, id from waitlist_offers where status = 'open' and expires_at <= $1 order by expires_at limit $2`);

export const listDueOffers = (tx: SystemTx, now: Date, limit: number) => rows(tx, listDueStatement, [now, limit]);

// An answer counts until the offer expires; `expired` is stored only from then on.
const closeStatement = sql(`
  update waitlist_offers set status = $3
  where clinic_id = $1 and id = $2 and status = 'open' and ($3 = 'withdrawn' or ($3 = 'expired') = (expires_at <= $4))`);

/** Whether the outcome was stored. */
export const setOutcome = async (tx: TenantTx, id: string, outcome: Outcome, now: Date) =>
  (await execute(tx, closeStatement, [tx.clinicId, id, outcome, now])) === 1;
