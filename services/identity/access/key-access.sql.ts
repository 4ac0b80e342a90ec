// An integration key with its clinic, in one statement: for the access check of each request.
import { type Db, readSystem, sql } from '@clinic/lib/db/db.ts';
import { type AccessRow, CLINIC_COLUMNS } from './accounts.sql.ts';

type KeyAccessRow = Omit<AccessRow, 'user_id' | 'email' | 'full_name'> & { key_id: string; scopes: string[]; last_used_at: Date | null };

// A key is no user: it has no role, no session and no second factor.
const findStatement = sql<KeyAccessRow>(`
  select k.clinic_id, k.id as key_id, k.scopes, k.last_used_at, 'integration_key' as app_role, true as user_active, ${CLINIC_COLUMNS},
    false as session_ended, false as mfa_missing
  from integration_keys k join clinics c on c.clinic_id = k.clinic_id
  where k.key_hash = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > $2)`);

/** As the system, because the clinic of a key is not known yet. Undefined when the key is unknown, revoked or expired. */
export const findKeyAccess = async (db: Db, hash: Buffer, now: Date) => (await readSystem(db, findStatement, [hash, now]))[0];
