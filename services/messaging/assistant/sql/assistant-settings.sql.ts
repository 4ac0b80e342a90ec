// The settings of the assistant, by clinic.
import { execute, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';

type AssistantSettings = { send_names: boolean };

const findStatement = sql<AssistantSettings>('select send_names from assistant_settings where clinic_id = $1');

/** By default names are not sent to the model. */
export const findAssistantSettings = async (tx: TenantTx) => (await row(tx, findStatement, [tx.clinicId])) ?? { send_names: false };

const saveStatement = sql(`
  insert into assistant_settings (clinic_id, send_names, updated_at) values ($1, $2, $3)
  on conflict (clinic_id) do update set send_names = excluded.send_names, updated_at = excluded.updated_at`);

export const saveAssistantSettings = (tx: TenantTx, { send_names }: AssistantSettings, now: Date) => execute(tx, saveStatement, [tx.clinicId, send_names, now]);
