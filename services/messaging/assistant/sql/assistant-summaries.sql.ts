// Summaries of days written by a model. A summary is valid as long as the figures of its day have the same hash.
import { execute, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';

const findStatement = sql<{ text: string }>('select text from assistant_summaries where clinic_id = $1 and day = $2 and facts_hash = $3');

export const findSummary = async (tx: TenantTx, day: string, factsHash: Buffer) => (await row(tx, findStatement, [tx.clinicId, day, factsHash]))?.text;

const saveStatement = sql(`
  insert into assistant_summaries (clinic_id, day, facts_hash, text, created_at) values ($1, $2, $3, $4, $5)
  on conflict (clinic_id, day) do update set facts_hash = excluded.facts_hash, text = excluded.text, created_at = excluded.created_at`);

export const saveSummary = (tx: TenantTx, day: string, factsHash: Buffer, text: string, now: Date) =>
  execute(tx, saveStatement, [tx.clinicId, day, factsHash, text, now]);
