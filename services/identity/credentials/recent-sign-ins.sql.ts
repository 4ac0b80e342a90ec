import { type Db, readTenant, sql } from '@clinic/lib/db/db.ts';

const statement = sql<{ recent: boolean }>(`
  select exists (select from session_families where clinic_id = $1 and user_id = $2 and id = $3 and created_at > $4 and not by_pin) as recent`);

/** Whether the user's session began after an instant, and with the password: a PIN is weaker. */
export const hasSignedInSince = async (db: Db, clinicId: string, userId: string, sessionId: string, instant: Date) =>
  (await readTenant(db, clinicId, statement, [clinicId, userId, sessionId, instant]))[0]?.recent === true;
