// The lock of a clinic's figures. Every transaction that recomputes figures takes it before it reads, so that concurrent changes are
// counted by one of the transactions.

import { execute, rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import { DEFAULT_ZONE } from '@clinic/lib/formats/local-date.ts';

// Locks the rows in the order of the clinics' ids to avoid deadlocks. A clinic without a row gets one, which is locked too.
// The array comes from subselects, as in appointment-sums.sql.ts.
const lockStatement = sql<{ clinic_id: string; timezone: string }>(`
  with locked as (
    select clinic_id, timezone from analytics_clinics where clinic_id = any((select $1::uuid[])::uuid[]) order by clinic_id for no key update
  ), added as (
    insert into analytics_clinics as known (clinic_id, timezone)
    select f.clinic_id, coalesce(c.timezone, $2) from unnest((select $1::uuid[])) as f (clinic_id) left join clinics c using (clinic_id)
    where not exists (select from analytics_clinics a where a.clinic_id = f.clinic_id)
    order by 1 on conflict (clinic_id) do update set timezone = known.timezone
    returning clinic_id, timezone
  )
  select clinic_id, timezone from locked union all select clinic_id, timezone from added`);

/**
 * Locks the figures of some clinics. Returns for each clinic the zone by which its money is dated. Statements that are sent after it, even
 * in the same packet, see what earlier transactions have committed.
 */
export async function lockAllFigures(tx: SystemTx, clinicIds: string[]): Promise<Map<string, string>> {
  const locked = await rows(tx, lockStatement, [[...new Set(clinicIds)], DEFAULT_ZONE]);
  return new Map(locked.map(({ clinic_id, timezone }) => [clinic_id, timezone]));
}

/** lockAllFigures() for one clinic. */
export const lockFigures = async (tx: SystemTx, clinicId: string) => (await lockAllFigures(tx, [clinicId])).get(clinicId) ?? DEFAULT_ZONE;

const setZoneStatement = sql('update analytics_clinics set timezone = $2 where clinic_id = $1');

export const setFiguresZone = (tx: SystemTx, clinicId: string, timezone: string) => execute(tx, setZoneStatement, [clinicId, timezone]);

const listStatement = sql<{ clinic_id: string }>('select clinic_id from analytics_clinics order by clinic_id');

export const listFiguredClinics = async (tx: SystemTx) => (await rows(tx, listStatement)).map(({ clinic_id }) => clinic_id);

const listAllStatement = sql<{ clinic_id: string }>('select distinct clinic_id from doctors order by 1');

/** Every clinic that can have appointments. */
export const listClinicsWithDoctors = async (tx: SystemTx) => (await rows(tx, listAllStatement)).map(({ clinic_id }) => clinic_id);

// Lines are deleted with their plans, by foreign keys.
const TABLES = [
  'days',
  'resource_days',
  'hours',
  'patient_days',
  'payment_plans',
  'treatments',
  'documents',
  'revenue_days',
  'procedure_days',
  'receivable_days',
  'document_days',
  'treatment_days',
  'seen_days',
];
const deleteStatements = TABLES.map((table) => sql(`delete from analytics_${table} where clinic_id = $1`));

/** Deletes the figures of a clinic. The row that is locked stays, since other transactions may wait for it. */
export async function deleteFigures(tx: SystemTx, clinicId: string): Promise<void> {
  for (const statement of deleteStatements) await execute(tx, statement, [clinicId]);
}
