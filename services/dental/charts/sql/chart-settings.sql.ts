// How a clinic wants its charts drawn.
import { type Db, execute, readTenant, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import type { ChartColors } from '../svg/colours.ts';

const findStatement = sql<{ colors: ChartColors }>('select colors from chart_settings where clinic_id = $1');

/** `standard` unless the clinic has changed it. */
export const findChartColors = async (db: Db, clinicId: string) => (await readTenant(db, clinicId, findStatement, [clinicId]))[0]?.colors ?? 'standard';

const saveStatement = sql(`
  insert into chart_settings (clinic_id, colors, updated_at) values ($1, $2, $3)
  on conflict (clinic_id) do update set colors = excluded.colors, updated_at = excluded.updated_at
  where chart_settings.colors <> excluded.colors`);

/** False when these colours are already stored. */
export const saveChartColors = async (tx: TenantTx, colors: ChartColors, now: Date) => (await execute(tx, saveStatement, [tx.clinicId, colors, now])) === 1;
