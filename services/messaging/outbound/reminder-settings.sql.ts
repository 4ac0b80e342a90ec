// Whether a clinic sends reminders, and its quiet hours, which apply to messages of all kinds.
import { type Db, execute, readSystem, rows, sql, type TenantTx, type Tx } from '@clinic/lib/db/db.ts';
import type { QuietHours } from './quiet-hours-rules.ts';

type ReminderSettings = QuietHours & { is_enabled: boolean };

const listStatement = sql<ReminderSettings & { clinic_id: string }>(`
  select clinic_id, is_enabled, to_char(quiet_from, 'HH24:MI') as quiet_from, to_char(quiet_until, 'HH24:MI') as quiet_until
  from reminder_settings where clinic_id = any($1)`);

/** Settings of a clinic that has not changed them. */
const DEFAULT_SETTINGS: ReminderSettings = { is_enabled: true, quiet_from: '21:00', quiet_until: '07:00' };

/** The settings of a clinic, from those that were changed. */
function settingsIn(changed: (ReminderSettings & { clinic_id: string })[]): (clinicId: string) => ReminderSettings {
  const known = new Map(changed.map((one) => [one.clinic_id, one]));
  return (clinicId) => known.get(clinicId) ?? DEFAULT_SETTINGS;
}

export const findReminderSettings = async (tx: Tx, clinicId: string) => settingsIn(await rows(tx, listStatement, [[clinicId]]))(clinicId);

const lockStatement = sql("select pg_advisory_xact_lock(hashtextextended('reminder settings ' || $1::text, 0))");

/** The settings, which other transactions cannot save until this one ends. The clinic's first change has no row to lock. */
export async function lockReminderSettings(tx: TenantTx): Promise<ReminderSettings> {
  await execute(tx, lockStatement, [tx.clinicId]);
  return findReminderSettings(tx, tx.clinicId);
}

/** The quiet hours of any of the clinics, by its id. */
export const findQuietHours = async (tx: Tx, clinicIds: string[]): Promise<(clinicId: string) => QuietHours> =>
  settingsIn(await rows(tx, listStatement, [clinicIds]));

/** The quiet hours of the clinics, in their order, in one round trip. Runs as the system, because there are several. */
export const readQuietHours = async (db: Db, clinicIds: string[]): Promise<QuietHours[]> =>
  clinicIds.map(settingsIn(await readSystem(db, listStatement, [clinicIds])));

const saveSettingsStatement = sql(`
  insert into reminder_settings (clinic_id, is_enabled, quiet_from, quiet_until, updated_at) values ($1, $2, $3, $4, $5)
  on conflict (clinic_id) do update
    set is_enabled = excluded.is_enabled, quiet_from = excluded.quiet_from, quiet_until = excluded.quiet_until, updated_at = excluded.updated_at`);

export const saveReminderSettings = (tx: TenantTx, { is_enabled, quiet_from, quiet_until }: ReminderSettings, now: Date) =>
  execute(tx, saveSettingsStatement, [tx.clinicId, is_enabled, quiet_from, quiet_until, now]);
