// A user with the clinic, in one statement: for sign-in, sessions and the access check of each request.
import { type Db, readSystem, readTenant, row, type SystemTx, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import type { Plan } from '@clinic/lib/formats/plans.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { SWITCHED_OFF } from '../plans/switched-off.sql.ts';

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
  /** Features that the clinic has switched off, and permissions of its staff (guardsOf). */
  switched_off: string[];
};

export const toUser = ({ user_id: id, email, full_name, app_role, clinic_id }: AccountRow) => toFields({ id, email, full_name, app_role, clinic_id });

export const toClinic = ({ clinic_id: id, clinic_name: name, slug, clinic_type, subscription_plan, subscription_expires_at }: AccountRow) =>
  toFields({ id, name, slug, clinic_type, subscription_plan, subscription_expires_at });

/** Columns of the clinic `c`. */
export const CLINIC_COLUMNS = `c.name as clinic_name, c.slug, c.clinic_type, c.timezone, c.country, c.is_active as clinic_active, c.subscription_plan, c.subscription_expires_at,
  ${SWITCHED_OFF} as switched_off`;

export const ACCOUNT_COLUMNS = `u.clinic_id, u.id as user_id, u.email, u.full_name, u.app_role, u.is_active as user_active, ${CLINIC_COLUMNS}`;

/** Whether the user `u` has a second factor. */
export const HAS_MFA = 'exists (select from second_factors s where s.clinic_id = u.clinic_id and s.user_id = u.id and s.confirmed_at is not null)';

/** Whether the clinic `c` requires a second factor of the user `u`, who has none. */
const MFA_MISSING = `c.require_mfa_for_admins and u.app_role = 'admin' and not ${HAS_MFA}`;

/** The user, clinic and session to check. */
export type Subject = { clinicId: string; userId: string; sessionId: string | null };

const findAccountStatement = sql<AccountRow>(`
  select ${ACCOUNT_COLUMNS} from users u join clinics c on c.clinic_id = u.clinic_id where u.clinic_id = $1 and u.id = $2`);

export const findAccount = async (db: Db, clinicId: string, userId: string) => (await readTenant(db, clinicId, findAccountStatement, [clinicId, userId]))[0];

export const getAccount = async (tx: TenantTx, userId: string) => found(await row(tx, findAccountStatement, [tx.clinicId, userId]), 'User');

export type AccessRow = AccountRow & { session_ended: boolean; mfa_missing: boolean };

/** Exported for measurements only: callers use findAccess. */
export const findAccessStatement = sql<AccessRow>(`
  select ${ACCOUNT_COLUMNS},
    $3::uuid is not null and not exists (
      select from session_families f where f.clinic_id = $1 and f.id = $3 and f.user_id = u.id and f.ended_at is null) as session_ended,
    ${MFA_MISSING} as mfa_missing
  from users u join clinics c on c.clinic_id = u.clinic_id where u.clinic_id = $1 and u.id = $2`);

/** The account with the state of the session, if one is given. A deleted session counts as ended. */
export const findAccess = async (db: Db, { clinicId, userId, sessionId }: Subject) =>
  (await readTenant(db, clinicId, findAccessStatement, [clinicId, userId, sessionId]))[0];

// The arrays are read from a subselect so that the planner does not know their length. Otherwise it plans the statement again for each call,
// which more than doubles its time (525 instead of 202 µs for one user).
const findAccessOfManyStatement = sql<AccessRow>(`
  select found.* from unnest((select $1::uuid[]), (select $2::uuid[]), (select $3::uuid[])) with ordinality as wanted (clinic_id, user_id, session_id, place)
  left join lateral (
    select ${ACCOUNT_COLUMNS},
      wanted.session_id is not null and not exists (
        select from session_families f where f.clinic_id = u.clinic_id and f.id = wanted.session_id and f.user_id = u.id and f.ended_at is null) as session_ended,
      ${MFA_MISSING} as mfa_missing
    from users u join clinics c on c.clinic_id = u.clinic_id where u.clinic_id = wanted.clinic_id and u.id = wanted.user_id
  ) found on true
  order by wanted.place`);

/** As the system, because the subjects may be of different clinics. One row for each subject in the same order, undefined for a deleted user. */
export async function listAccess(db: Db, subjects: Subject[]): Promise<(AccessRow | undefined)[]> {
  const values = [subjects.map(({ clinicId }) => clinicId), subjects.map(({ userId }) => userId), subjects.map(({ sessionId }) => sessionId)];
  const accounts = await readSystem(db, findAccessOfManyStatement, values);
  return accounts.map((account) => (account.clinic_id === null ? undefined : account));
}

/** The forms in which an e-mail address may be stored, the current one first. Earlier releases also stored decomposed letters (Unicode NFD). */
const formsOf = (email: string) => [email, email.normalize('NFD')];

// Each of the two forms may have an account.
const OF_EMAIL = 'where u.email = any($1::text[]) order by array_position($1, u.email) limit 1';

const findAccountByEmailStatement = sql<AccountRow>(`
  select ${ACCOUNT_COLUMNS} from users u join clinics c on c.clinic_id = u.clinic_id ${OF_EMAIL}`);

/** `known_address`, `known_device`: whether this address or this device is known for the user (known-clients.sql.ts). */
export type AccountToSignIn = AccountRow & { password_hash: string; known_address: boolean; known_device: boolean; has_mfa: boolean };

const isKnown = (client: string) => `exists (select from known_clients k where k.clinic_id = u.clinic_id and k.user_id = u.id and k.client = ${client})`;

const findToSignInStatement = sql<AccountToSignIn>(`
  select ${ACCOUNT_COLUMNS}, u.password_hash, ${isKnown('$2')} as known_address, ${isKnown('$3')} as known_device, ${HAS_MFA} as has_mfa
  from users u join clinics c on c.clinic_id = u.clinic_id ${OF_EMAIL}`);

/** As the system, because the clinic of an e-mail address is not known yet. `email` is normalised. */
export const findAccountToSignIn = async (db: Db, email: string, address: string, device: string) =>
  (await readSystem(db, findToSignInStatement, [formsOf(email), address, device]))[0];

const isTakenStatement = sql<{ taken: boolean }>('select exists (select from users where email = any($1)) as taken');

/** As the system, because an address has one account over all clinics. An early check only: the unique constraint decides. */
export const isEmailTaken = async (db: Db, email: string) => (await readSystem(db, isTakenStatement, [formsOf(email)]))[0]?.taken === true;

export const findAccountByEmailIn = (tx: SystemTx, email: string) => row(tx, findAccountByEmailStatement, [formsOf(email)]);

type Credentials = { password_hash: string; is_active: boolean; app_role: string };

const shareStatement = sql<Credentials>(`
  select password_hash, is_active, app_role from users where clinic_id = $1 and id = $2 for share`);

/** Password and state of a user, locked against changes until the transaction ends. */
export const shareCredentials = (tx: TenantTx, id: string) => row(tx, shareStatement, [tx.clinicId, id]);

const findHashStatement = sql<{ password_hash: string }>('select password_hash from users where clinic_id = $1 and id = $2');

export const findPasswordHash = async (db: Db, clinicId: string, userId: string) =>
  (await readTenant(db, clinicId, findHashStatement, [clinicId, userId]))[0]?.password_hash;
