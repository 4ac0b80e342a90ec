// A user together with the clinic: what sign-in, the session and the access check of each request read, in one statement.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import type { SessionClinicSchema, SessionUserSchema } from '@clinic/proto/identity/v1/session_pb.js';
import { toTimestamp } from '../clinics/clinics.sql.ts';
import type { Plan } from '../plans/plans-rules.ts';

export type AccountRow = {
  clinic_id: string;
  user_id: string;
  email: string;
  full_name: string;
  app_role: string;
  user_active: boolean;
  clinic_name: string;
  slug: string;
  clinic_type: string;
  timezone: string;
  country: string;
  clinic_active: boolean;
  subscription_plan: Plan;
  subscription_expires_at: Date | null;
  /** Features that the clinic does not want. */
  switched_off: string[];
};

export function toUser(account: AccountRow): MessageInitShape<typeof SessionUserSchema> {
  return { id: account.user_id, email: account.email, fullName: account.full_name, appRole: account.app_role, clinicId: account.clinic_id };
}

export function toClinic(account: AccountRow): MessageInitShape<typeof SessionClinicSchema> {
  return {
    id: account.clinic_id,
    name: account.clinic_name,
    slug: account.slug,
    clinicType: account.clinic_type,
    subscriptionPlan: account.subscription_plan,
    subscriptionExpiresAt: toTimestamp(account.subscription_expires_at),
  };
}

export const ACCOUNT_COLUMNS = `u.clinic_id, u.id as user_id, u.email, u.full_name, u.app_role, u.is_active as user_active,
  c.name as clinic_name, c.slug, c.clinic_type, c.timezone, c.country, c.is_active as clinic_active, c.subscription_plan, c.subscription_expires_at,
  array(select t.feature from feature_toggles t where t.clinic_id = c.clinic_id and not t.enabled) as switched_off`;

/** $1 clinic, $2 user. */
export const findAccountStatement = sql<AccountRow>(`
  select ${ACCOUNT_COLUMNS} from users u join clinics c on c.clinic_id = u.clinic_id where u.clinic_id = $1 and u.id = $2`);

export type AccessRow = AccountRow & { session_ended: boolean };

/** The same with the state of a session: $1 clinic, $2 user, $3 session or null. A session that is gone has ended. */
export const findAccessStatement = sql<AccessRow>(`
  select ${ACCOUNT_COLUMNS},
    $3::uuid is not null and not exists (
      select from session_families f where f.clinic_id = $1 and f.id = $3 and f.user_id = u.id and f.ended_at is null) as session_ended
  from users u join clinics c on c.clinic_id = u.clinic_id where u.clinic_id = $1 and u.id = $2`);

// The arrays come through a select so that the planner cannot see how short they are: else it holds a new plan for each call
// to be worth its while, which costs four times the statement (525 against 202 µs for one user).
/** The same of many: $1 clinics, $2 users, $3 sessions or nulls, side by side. One row each, in their order; without a clinic_id for a user who is gone. */
export const findAccessOfManyStatement = sql<AccessRow>(`
  select found.* from unnest((select $1::uuid[]), (select $2::uuid[]), (select $3::uuid[])) with ordinality as wanted (clinic_id, user_id, session_id, place)
  left join lateral (
    select ${ACCOUNT_COLUMNS},
      wanted.session_id is not null and not exists (
        select from session_families f where f.clinic_id = u.clinic_id and f.id = wanted.session_id and f.user_id = u.id and f.ended_at is null) as session_ended
    from users u join clinics c on c.clinic_id = u.clinic_id where u.clinic_id = wanted.clinic_id and u.id = wanted.user_id
  ) found on true
  order by wanted.place`);

export function findAccount(tx: TenantTx, userId: string): Promise<AccountRow | undefined> {
  return row(tx, findAccountStatement, [tx.clinicId, userId]);
}

/** $1 e-mail in lower case. The clinic is not known yet: for the system only. */
export const findAccountByEmailStatement = sql<AccountRow & { password_hash: string }>(`
  select ${ACCOUNT_COLUMNS}, u.password_hash from users u join clinics c on c.clinic_id = u.clinic_id where u.email = $1`);

const shareStatement = sql<{ password_hash: string; is_active: boolean }>(`
  select password_hash, is_active from users where clinic_id = $1 and id = $2 for share`);

/** What a sign-in rests on, held as it is until the transaction ends. */
export function shareCredentials(tx: TenantTx, id: string): Promise<{ password_hash: string; is_active: boolean } | undefined> {
  return row(tx, shareStatement, [tx.clinicId, id]);
}
