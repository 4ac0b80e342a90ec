// The state of the bot's conversation with a phone between two messages.
import { execute, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { encodeSession, resumeSession, type Session, type StoredSession } from './rules/session.ts';

const findStatement = sql<{ state: StoredSession; updated_at: Date }>('select state, updated_at from bot_sessions where clinic_id = $1 and phone = $2');

/** A new session when there is none, or only the language and the choice about recall of one that is too old. */
export async function findSession(tx: TenantTx, phone: string, now: Date): Promise<Session> {
  const stored = await row(tx, findStatement, [tx.clinicId, phone]);
  return resumeSession(stored?.state, stored?.updated_at ?? now, now);
}

const saveStatement = sql(`
  insert into bot_sessions (clinic_id, phone, state, updated_at) values ($1, $2, $3, $4)
  on conflict (clinic_id, phone) do update set state = excluded.state, updated_at = excluded.updated_at`);

export async function saveSession(tx: TenantTx, phone: string, session: Session, now: Date): Promise<void> {
  await execute(tx, saveStatement, [tx.clinicId, phone, JSON.stringify(encodeSession(session)), now]);
}
