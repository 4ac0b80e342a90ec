// User accounts.
import { alphabetical } from '@clinic/lib/db/alphabetical.ts';
import { type Db, execute, getRow, readTenant, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import type { Page } from '@clinic/lib/formats/page.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { HAS_MFA } from '../access/accounts.sql.ts';

export type UserRow = {
  clinic_id: string;
  id: string;
  email: string;
  full_name: string;
  phone: string | null;
  license_number: string | null;
  app_role: string;
  is_active: boolean;
  registered_clinic: boolean;
  photo_id: string | null;
  has_pin: boolean;
  has_mfa: boolean;
  created_at: Date;
  updated_at: Date;
};

type NewUser = Pick<UserRow, 'id' | 'email' | 'full_name' | 'app_role' | 'registered_clinic'> & { phone?: string | null; password_hash: string };

/** Fields whose values the audit log masks. */
export const PERSONAL_FIELDS = ['email', 'full_name', 'phone', 'license_number'];

export function toProto(user: UserRow, publicUrl: string) {
  return { ...toFields(user), photoUrl: user.photo_id ? `${publicUrl}/api/users/photos/${user.photo_id}` : undefined };
}

const COLUMNS = `u.clinic_id, u.id, u.email, u.full_name, u.phone, u.license_number, u.app_role, u.is_active, u.registered_clinic, u.photo_id,
  u.pin_hash is not null as has_pin, ${HAS_MFA} as has_mfa, u.created_at, u.updated_at`;

const insertStatement = sql<UserRow>(`
  insert into users as u (clinic_id, id, email, full_name, phone, app_role, password_hash, registered_clinic, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
  returning ${COLUMNS}`);

/** Violates users_email_unique if the e-mail address has an account in any clinic. */
export function insertUser(tx: TenantTx, user: NewUser, now: Date): Promise<UserRow> {
  const { id, email, full_name, phone = null, app_role, password_hash, registered_clinic } = user;
  return getRow(tx, insertStatement, [tx.clinicId, id, email, full_name, phone, app_role, password_hash, registered_clinic, now]);
}

const listStatement = sql<UserRow & { total: number }>(`
  select counted.total, page.* from (select count(*)::int as total from users where clinic_id = $1) counted
  left join lateral (
    select ${COLUMNS} from users u where u.clinic_id = $1 order by ${alphabetical('u.full_name')}, u.id limit $2 offset $3
  ) page on true`);

/** A page of users ordered by name, and the total number of users. */
export const listUsersPage = (db: Db, clinicId: string, { limit, offset }: Page) => readPage(db, clinicId, listStatement, [clinicId, limit, offset]);

const findStatement = sql<UserRow>(`select ${COLUMNS} from users u where u.clinic_id = $1 and u.id = $2`);

export const findUser = async (db: Db, clinicId: string, id: string) => (await readTenant(db, clinicId, findStatement, [clinicId, id]))[0];

const lockStatement = sql<UserRow>(`select ${COLUMNS} from users u where u.clinic_id = $1 and u.id = $2 for no key update`);

/** A change that affects the user limit or removes an admin must call lockPlan first, so that all transactions take these locks in the same order. */
export const lockUser = (tx: TenantTx, id: string) => row(tx, lockStatement, [tx.clinicId, id]);

const updateStatement = sql<UserRow>(`
  update users u set full_name = $3, phone = $4, app_role = $5, is_active = $6, license_number = $7, updated_at = $8
  where clinic_id = $1 and id = $2
  returning ${COLUMNS}`);

export type UserFields = Pick<UserRow, 'full_name' | 'phone' | 'license_number' | 'app_role' | 'is_active'>;

/** The user must be locked. */
export function updateUserFields(tx: TenantTx, id: string, user: UserFields, now: Date): Promise<UserRow> {
  const { full_name, phone, app_role, is_active, license_number } = user;
  return getRow(tx, updateStatement, [tx.clinicId, id, full_name, phone, app_role, is_active, license_number, now]);
}

const setPhotoStatement = sql<UserRow>(`update users u set photo_id = $3, updated_at = $4 where clinic_id = $1 and id = $2 returning ${COLUMNS}`);

export const setPhotoId = (tx: TenantTx, id: string, photoId: string | null, now: Date) => getRow(tx, setPhotoStatement, [tx.clinicId, id, photoId, now]);

const countOthersStatement = sql<{ users: number; admins: number }>(`
  select count(*) filter (where not registered_clinic)::int as users, count(*) filter (where app_role = 'admin')::int as admins
  from users where clinic_id = $1 and is_active and id <> $2`);

/** The numbers of other active users that count towards the limit, and of other active admins. */
export const countOthers = (tx: TenantTx, id: string) => getRow(tx, countOthersStatement, [tx.clinicId, id]);

const setPasswordStatement = sql('update users set password_hash = $3, pin_hash = null, updated_at = $4 where clinic_id = $1 and id = $2');

/** Removes the PIN too. */
export const setPassword = (tx: TenantTx, id: string, passwordHash: string, now: Date) =>
  execute(tx, setPasswordStatement, [tx.clinicId, id, passwordHash, now]);

const replacePasswordStatement = sql(`
  update users set password_hash = $4, pin_hash = null, updated_at = $5 where clinic_id = $1 and id = $2 and password_hash = $3`);

/** Removes the PIN too. False if the password is no longer `from`. */
export const replacePassword = async (tx: TenantTx, id: string, from: string, to: string, now: Date) =>
  (await execute(tx, replacePasswordStatement, [tx.clinicId, id, from, to, now])) === 1;

const countLimitedStatement = sql<{ users: number }>(`
  select count(*)::int as users from users where clinic_id = $1 and is_active and not registered_clinic`);

/** The number of active users that count towards the plan's limit. */
export const countLimitedUsers = async (db: Db, clinicId: string) => (await readTenant(db, clinicId, countLimitedStatement, [clinicId]))[0]?.users ?? 0;

const listNamesStatement = sql<{ id: string; full_name: string }>('select id, full_name from users where clinic_id = $1 and id = any($2::uuid[])');

/** The names of users by id. */
export async function findNames(db: Db, clinicId: string, ids: string[]): Promise<Map<string, string>> {
  const users = ids.length > 0 ? await readTenant(db, clinicId, listNamesStatement, [clinicId, ids]) : [];
  return new Map(users.map(({ id, full_name }) => [id, full_name]));
}
