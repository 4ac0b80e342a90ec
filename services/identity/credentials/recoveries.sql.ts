// Requests for a new password, and recoveries: links by which a user chooses a password.
import { type Db, execute, getRow, readSystem, row, type SystemTx, sql, type Tx } from '@clinic/lib/db/db.ts';

export type RequestRow = { id: string; email_sealed: Buffer; ip: string; request_id: string };

const insertRequestStatement = sql('insert into recovery_requests (id, email_sealed, ip, request_id, created_at) values ($1, $2, $3, $4, $5)');

export const insertRequest = (tx: SystemTx, { id, email_sealed, ip, request_id }: RequestRow, now: Date) =>
  execute(tx, insertRequestStatement, [id, email_sealed, ip, request_id, now]);

const takeRequestStatement = sql<RequestRow>('delete from recovery_requests where id = $1 returning id, email_sealed, ip, request_id');

/** Deletes and returns the request. Undefined if it was already processed. */
export const takeRequest = (tx: SystemTx, id: string) => row(tx, takeRequestStatement, [id]);

const countStatement = sql<{ n: number }>('select count(*)::int as n from password_recoveries where clinic_id = $1 and user_id = $2 and created_at > $3');

/** The number of recoveries of the user created since an instant. */
export const countRecoveries = async (tx: SystemTx, user: { clinic_id: string; user_id: string }, since: Date) =>
  (await getRow(tx, countStatement, [user.clinic_id, user.user_id, since])).n;

export type NewRecovery = { clinic_id: string; id: string; user_id: string; hash: Buffer; ciphertext: Buffer; expires_at: Date };

const insertStatement = sql(`
  insert into password_recoveries (clinic_id, id, user_id, token_hash, token_sealed, created_at, expires_at) values ($1, $2, $3, $4, $5, $6, $7)`);

export async function insertRecovery(tx: Tx, recovery: NewRecovery, now: Date): Promise<void> {
  const { clinic_id, id, user_id, hash, ciphertext, expires_at } = recovery;
  await execute(tx, insertStatement, [clinic_id, id, user_id, hash, ciphertext, now, expires_at]);
}

type RecoveryRow = {
  clinic_id: string;
  id: string;
  user_id: string;
  email: string;
  full_name: string;
  clinic_name: string;
  token_sealed: Buffer | null;
};

const COLUMNS = 'r.clinic_id, r.id, r.user_id, u.email, u.full_name, c.name as clinic_name, r.token_sealed';
const JOINS = 'join users u on u.clinic_id = r.clinic_id and u.id = r.user_id join clinics c on c.clinic_id = r.clinic_id';
const LIVE = 'r.used_at is null and r.expires_at > $2 and u.is_active';

const findStatement = sql<RecoveryRow>(`
  select ${COLUMNS} from password_recoveries r ${JOINS} where r.id = $1 and ${LIVE}`);

const findByTokenStatement = sql<RecoveryRow>(`
  select ${COLUMNS} from password_recoveries r ${JOINS} where r.token_hash = $1 and ${LIVE}`);

/** As the system, because the clinic is not known. Undefined if the recovery was used or has expired. */
export const findRecovery = async (db: Db, id: string, now: Date) => (await readSystem(db, findStatement, [id, now]))[0];

/** As the system, because the token does not name the clinic. */
export const findRecoveryByToken = async (db: Db, tokenHash: Buffer, now: Date) => (await readSystem(db, findByTokenStatement, [tokenHash, now]))[0];

const useStatement = sql(`
  update password_recoveries set used_at = $4, token_sealed = null
  where clinic_id = $1 and id = $2 and user_id = $3 and used_at is null and expires_at > $4`);
const dropStatement = sql(`
  update password_recoveries set used_at = $3, token_sealed = null where clinic_id = $1 and user_id = $2 and used_at is null`);

/** Marks a recovery as used and invalidates all others of the user. False if it was already used. */
export async function consumeRecovery(tx: Tx, recovery: { clinic_id: string; id: string; user_id: string }, now: Date): Promise<boolean> {
  if ((await execute(tx, useStatement, [recovery.clinic_id, recovery.id, recovery.user_id, now])) === 0) return false;
  await dropRecoveries(tx, recovery, now);
  return true;
}

/** Invalidates all links of the user. */
export const dropRecoveries = (tx: Tx, user: { clinic_id: string; user_id: string }, now: Date) =>
  execute(tx, dropStatement, [user.clinic_id, user.user_id, now]);

const deleteTokenStatement = sql('update password_recoveries set token_sealed = null where clinic_id = $1 and id = $2');

/** Deletes the encrypted token once messaging has accepted the mail. The hash remains. */
export const deleteToken = (tx: SystemTx, clinicId: string, id: string) => execute(tx, deleteTokenStatement, [clinicId, id]);

const purgeStatement = sql('delete from password_recoveries where expires_at < $1');
const purgeRequestsStatement = sql('delete from recovery_requests where created_at < $1');

/** Deletes requests and recoveries that ended before an instant. They are few (at most three an hour for a user), so one statement deletes them. */
export async function purgeRecoveries(tx: SystemTx, before: Date): Promise<void> {
  await execute(tx, purgeStatement, [before]);
  await execute(tx, purgeRequestsStatement, [before]);
}

/** Encryption contexts: a ciphertext can be decrypted only as this column of this row. */
export const requestContext = (id: string) => `recovery_requests/${id}/email`;
export const tokenContext = (clinicId: string, id: string) => `${clinicId}/password_recoveries/${id}/token`;
