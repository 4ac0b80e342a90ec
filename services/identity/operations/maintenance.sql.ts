// The maintenance that is planned or under way. It belongs to no clinic, so that all statements run as the system.
import { type Db, execute, readSystem, row, type SystemTx, sql } from '@clinic/lib/db/db.ts';

export type MaintenanceRow = { starts_at: Date; ends_at: Date | null; message: string };

const findStatement = sql<MaintenanceRow>('select starts_at, ends_at, message from maintenance where ends_at is null or ends_at > $1');

/** Undefined when none is planned or under way. */
export const findMaintenance = async (db: Db, now: Date) => (await readSystem(db, findStatement, [now]))[0];

const saveStatement = sql(`
  insert into maintenance (starts_at, ends_at, message) values ($1, $2, $3)
  on conflict (id) do update set starts_at = excluded.starts_at, ends_at = excluded.ends_at, message = excluded.message`);

export const saveMaintenance = (tx: SystemTx, { starts_at, ends_at, message }: MaintenanceRow) => execute(tx, saveStatement, [starts_at, ends_at, message]);

const deleteStatement = sql<MaintenanceRow>('delete from maintenance where ends_at is null or ends_at > $1 returning starts_at, ends_at, message');

export const deleteMaintenance = (tx: SystemTx, now: Date) => row(tx, deleteStatement, [now]);
