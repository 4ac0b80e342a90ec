// The state of the bot's conversation with a phone, stored between two messages.
import { execute, row, type SystemTx, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { encodeSession, resumeSession, type Session, type StoredSession } from './rules/session.ts';

const findStatement = sql<{ state: StoredSession; updated_at: Date }>('select state, updated_at from bot_sessions where clinic_id = $1 and phone = $2');

/** A new session if none is stored. One that is too old retains only its language and its choice about recalls. */
export async function findSession(tx: TenantTx, phone: string, now: Date): Promise<Session> {
  const stored = await row(tx, findStatement, [tx.clinicId, phone]);
  return resumeSession(stored?.state ?? null, stored?.updated_at ?? now, now);
}

type NewSession = { clinicId: string; phone: string; session: Session };

const saveStatement = sql(`
  insert into bot_sessions (clinic_id, phone, state, updated_at)
  select n.clinic_id, n.phone, n.state, $4 from unnest($1::uuid[], $2::text[], $3::jsonb[]) as n (clinic_id, phone, state)
  on conflict (clinic_id, phone) do update set state = excluded.state, updated_at = excluded.updated_at`);

export async function saveSessions(tx: SystemTx, sessions: NewSession[], now: Date): Promise<void> {
  if (sessions.length === 0) return;
  const states = sessions.map(({ session }) => JSON.stringify(encodeSession(session)));
  await execute(tx, saveStatement, [sessions.map(({ clinicId }) => clinicId), sessions.map(({ phone }) => phone), states, now]);
}

const purgeStatement = sql(`
  delete from bot_sessions where ctid = any(array(select ctid from bot_sessions where updated_at < $1 limit $2))`);

/** Deletes up to `limit` sessions that were last saved before `before`; returns their number. */
export const purgeSessions = (tx: SystemTx, before: Date, limit: number) => execute(tx, purgeStatement, [before, limit]);
