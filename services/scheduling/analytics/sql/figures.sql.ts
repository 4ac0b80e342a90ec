// The lock of a clinic's figures. Every transaction that recomputes figures takes it before it reads, so that concurrent changes are
// counted by one of the transactions.
import { execute, row, rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import { DEFAULT_ZONE } from '../../clinics/clinics.sql.ts';

const insertStatement = sql(`
  insert into analytics_clinics (clinic_id, timezone)
  select $1, coalesce((select timezone from clinics where clinic_id = $1), $2) on conflict do nothing`);
const lockStatement = sql<{ timezone: string }>('select timezone from analytics_clinics where clinic_id = $1 for update');

/** Locks the figures of a clinic and returns the zone whose days its money is counted in. */
export async function lockFigures(tx: SystemTx, clinicId: string): Promise<string> {
  const [, locked] = await Promise.all([execute(tx, insertStatement, [clinicId, DEFAULT_ZONE]), row(tx, lockStatement, [clinicId])]);
  return locked?.timezone ?? DEFAULT_ZONE;
}

const setZoneStatement = sql('update analytics_clinics set timezone = $2 where clinic_id = $1');

export async function setFiguresZone(tx: SystemTx, clinicId: string, timezone: string): Promise<void> {
  await execute(tx, setZoneStatement, [clinicId, timezone]);
}

const listStatement = sql<{ clinic_id: string }>('select clinic_id from analytics_clinics order by clinic_id');

export async function listFiguredClinics(tx: SystemTx): Promise<string[]> {
  return (await rows(tx, listStatement)).map(({ clinic_id }) => clinic_id);
}

const listAllStatement = sql<{ clinic_id: string }>('select distinct clinic_id from doctors order by 1');

/** Every clinic that can have appointments. */
export async function listClinicsWithDoctors(tx: SystemTx): Promise<string[]> {
  return (await rows(tx, listAllStatement)).map(({ clinic_id }) => clinic_id);
}

// Lines are deleted with their plans, by foreign keys.
const TABLES = [
  'days',
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
