// Whether a clinic sends reminders, and its quiet hours, which apply to messages of all kinds.
import { type Db, execute, readSystem, row, rows, sql, type TenantTx, type Tx } from '@clinic/lib/db/db.ts';
import type { QuietHours } from './quiet-hours-rules.ts';

type ReminderSettings = QuietHours & { is_enabled: boolean };

const listStatement = sql<ReminderSettings & { clinic_id: string }>(`
  select clinic_id, is_enabled, to_char(quiet_from, 'HH24:MI') as quiet_from, to_char(quiet_until, 'HH24:MI') as quiet_until
  from reminder_settings where clinic_id = any($1)`);

/** Settings of a clinic that has not changed them. */
export const DEFAULT_SETTINGS: ReminderSettings = { is_enabled: true, quiet_from: '21:00', quiet_until: '07:00' };

export const findReminderSettings = async (tx: Tx, clinicId: string): Promise<ReminderSettings> =>
  (await row(tx, listStatement, [[clinicId]])) ?? DEFAULT_SETTINGS;

const lockStatement = sql("select pg_advisory_xact_lock(hashtextextended('reminder settings ' || $1::text, 0))");

/** The settings, which other transactions cannot save until this one ends. The clinic's first change has no row to lock. */
export async function lockReminderSettings(tx: TenantTx): Promise<ReminderSettings> {
  await execute(tx, lockStatement, [tx.clinicId]);
  return findReminderSettings(tx, tx.clinicId);
}

/** The quiet hours of those clinics that have changed their settings, by clinic. */
export async function listQuietHours(tx: Tx, clinicIds: string[]): Promise<Map<string, QuietHours>> {
  return new Map((await rows(tx, listStatement, [clinicIds])).map((one) => [one.clinic_id, one]));
}

/** The quiet hours of each clinic, in the order of the clinics. Runs as the system, because there are several. */
export async function readQuietHours(db: Db, clinicIds: string[]): Promise<QuietHours[]> {
  const changed = new Map((await readSystem(db, listStatement, [clinicIds])).map((one) => [one.clinic_id, one]));
  return clinicIds.map((clinicId) => changed.get(clinicId) ?? DEFAULT_SETTINGS);
}

const saveSettingsStatement = sql(`
  insert into reminder_settings (clinic_id, is_enabled, quiet_from, quiet_until, updated_at) values ($1, $2, $3, $4, $5)
  on conflict (clinic_id) do update
    set is_enabled = excluded.is_enabled, quiet_from = excluded.quiet_from, quiet_until = excluded.quiet_until, updated_at = excluded.updated_at`);

export const saveReminderSettings = (tx: TenantTx, { is_enabled, quiet_from, quiet_until }: ReminderSettings, now: Date) =>
  execute(tx, saveSettingsStatement, [tx.clinicId, is_enabled, quiet_from, quiet_until, now]);
