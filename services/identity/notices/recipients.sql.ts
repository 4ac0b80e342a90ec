// The recipients of a notice, and the data that its text contains.
import { type Db, readTenant, sql } from '@clinic/lib/db/db.ts';

type Recipient = {
  id: string;
  email: string;
  full_name: string;
  clinic_name: string;
  timezone: string;
  /** The name of the user that the notice is about. */
  user_name: string;
  /** Of the session that the notice is about; empty without one. */
  device: string;
  ip: string;
};

const listStatement = sql<Recipient>(`
  select r.id, r.email, r.full_name, c.name as clinic_name, c.timezone, u.full_name as user_name, coalesce(f.device, '') as device, coalesce(f.ip, '') as ip
  from users u join clinics c on c.clinic_id = u.clinic_id
  join users r on r.clinic_id = u.clinic_id and r.is_active and case when $3 then r.app_role = 'admin' and r.id <> u.id else r.id = u.id end
  left join session_families f on f.clinic_id = u.clinic_id and f.id = $4
  where u.clinic_id = $1 and u.id = $2 order by r.id`);

/** The user if active; with `admins`, the other active admins instead. */
export const listRecipients = (db: Db, clinicId: string, userId: string, admins: boolean, sessionId?: string) =>
  readTenant(db, clinicId, listStatement, [clinicId, userId, admins, sessionId ?? null]);
