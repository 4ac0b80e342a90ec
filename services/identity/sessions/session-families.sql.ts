// Session families: a sign-in and the chain of refresh tokens that began with it.
import { type Db, execute, getRow, readTenant, row, type SystemTx, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import type { Page } from '@clinic/lib/formats/page.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { AccessChangedSchema } from '@clinic/proto/events/v1/identity_pb.js';
import { LIFETIME_SECONDS } from '../access/access-tokens.ts';
import { ACCOUNT_COLUMNS, type AccountRow } from '../access/accounts.sql.ts';

export type FamilyRow = AccountRow & { family_id: string; expires_at: Date; ended_at: Date | null; by_pin: boolean };

/** A session that is not refreshed for this long expires. */
export const IDLE_DAYS = 7;

/** When a session expires: at the end of its lifetime, or earlier if it is not refreshed. */
const EXPIRES = `least(f.expires_at, coalesce(f.last_used_at, f.created_at) + interval '${IDLE_DAYS} days')`;

const insertStatement = sql(`
  insert into session_families (clinic_id, id, user_id, created_at, last_used_at, expires_at, ip, device, by_pin)
  values ($1, $2, $3, $4, $4, $5, $6, $7, $8) on conflict do nothing`);

type NewFamily = { id: string; user_id: string; expires_at: Date; ip: string; device: string; by_pin: boolean };

/** False if there is a family with the id. */
export const insertFamily = async (tx: TenantTx, { id, user_id, expires_at, ip, device, by_pin }: NewFamily, now: Date) =>
  (await execute(tx, insertStatement, [tx.clinicId, id, user_id, now, expires_at, ip, device, by_pin])) === 1;

const lockStatement = sql<FamilyRow>(`
  select ${ACCOUNT_COLUMNS}, f.id as family_id, ${EXPIRES} as expires_at, f.ended_at, f.by_pin
  from session_families f join users u on u.clinic_id = f.clinic_id and u.id = f.user_id join clinics c on c.clinic_id = f.clinic_id
  where (f.clinic_id, f.id) = (select t.clinic_id, t.family_id from refresh_tokens t where t.token_hash = $1)
  for update of f`);

/** The family of a refresh token with its user and clinic, locked until the transaction ends. */
export const lockFamilyOf = (tx: SystemTx, tokenHash: Buffer) => row(tx, lockStatement, [tokenHash]);

const touchStatement = sql<{ expires_at: Date }>(`
  update session_families f set last_used_at = $3, ip = $4 where clinic_id = $1 and id = $2 returning ${EXPIRES} as expires_at`);

/** Records that the session was used. Returns its new expiry. */
export const touchFamily = async (tx: SystemTx, family: FamilyRow, ip: string, now: Date) =>
  (await getRow(tx, touchStatement, [family.clinic_id, family.family_id, now, ip])).expires_at;

const endStatement = sql<EndedFamily>(`
  update session_families set ended_at = $2, end_reason = $3
  where ended_at is null and (clinic_id, id) = (select t.clinic_id, t.family_id from refresh_tokens t where t.token_hash = $1)
  returning clinic_id, id, user_id`);

type EndedFamily = { clinic_id: string; id: string; user_id: string };

/** Ends the family of a refresh token. Undefined if there is none, or it has ended before. */
export async function endFamilyOf(tx: SystemTx, tokenHash: Buffer, reason: 'logout' | 'reuse' | 'user_inactive', now: Date) {
  const ended = await row(tx, endStatement, [tokenHash, now, reason]);
  if (ended) await emit(tx, ended.clinic_id, AccessChangedSchema, { userId: ended.user_id });
  return ended;
}

const COLUMNS = `f.id, f.created_at, coalesce(f.last_used_at, f.created_at) as last_used_at, ${EXPIRES} as expires_at, f.ip, f.device`;
const OPEN = `f.clinic_id = $1 and f.user_id = $2 and f.ended_at is null and ${EXPIRES} > $3`;

const listStatement = sql<SessionRow & { total: number }>(`
  select counted.total, page.* from (select count(*)::int as total from session_families f where ${OPEN}) counted
  left join lateral (select ${COLUMNS} from session_families f where ${OPEN} order by 3 desc, f.id desc limit $4 offset $5) page on true`);

const findStatement = sql<SessionRow>(`select ${COLUMNS} from session_families f where ${OPEN} and f.id = $4`);

type SessionRow = { id: string; created_at: Date; last_used_at: Date; expires_at: Date; ip: string; device: string };

/** A page of the user's sessions that have not ended, most recently used first, and their total number. */
export const listOpenSessions = (db: Db, clinicId: string, userId: string, now: Date, { limit, offset }: Page) =>
  readPage(db, clinicId, listStatement, [clinicId, userId, now, limit, offset]);

export const findSession = async (db: Db, clinicId: string, userId: string, id: string, now: Date) =>
  (await readTenant(db, clinicId, findStatement, [clinicId, userId, now, id]))[0];

export function toProto(session: SessionRow, currentId: string | undefined) {
  return { ...toFields(session), isCurrent: session.id === currentId, device: session.device || undefined };
}

const endOneStatement = sql(`
  update session_families set ended_at = $4, end_reason = $5 where clinic_id = $1 and user_id = $2 and id = $3 and ended_at is null`);

/** False if the user has no such session or it has ended. */
export const endFamily = async (tx: TenantTx, userId: string, id: string, now: Date, reason: 'ended' | 'logout') =>
  (await publishEnded(tx, await execute(tx, endOneStatement, [tx.clinicId, userId, id, now, reason]), userId)) === 1;

const endAllStatement = sql(`
  update session_families set ended_at = $3, end_reason = $4 where clinic_id = $1 and user_id = $2 and ended_at is null and id is distinct from $5`);

/** Ends the user's sessions except the given one. Returns the number of ended sessions. */
export const endFamilies = async (tx: TenantTx, userId: string, reason: 'ended' | 'user_inactive' | 'password_reset', now: Date, exceptId?: string) =>
  publishEnded(tx, await execute(tx, endAllStatement, [tx.clinicId, userId, now, reason, exceptId ?? null]), userId);

const endByPinStatement = sql(`
  update session_families set ended_at = $3, end_reason = 'ended' where clinic_id = $1 and user_id = $2 and ended_at is null and by_pin`);

/** Ends the user's sessions that began with a PIN. */
export const endFamiliesByPin = async (tx: TenantTx, userId: string, now: Date) =>
  publishEnded(tx, await execute(tx, endByPinStatement, [tx.clinicId, userId, now]), userId);

const purgeStatement = sql(`
  delete from session_families where (clinic_id, id) in (
    select clinic_id, id from session_families where expires_at < $1 or ended_at < $1 limit $2 for update skip locked)`);

/** Deletes up to `limit` families that ended before an instant, with their tokens. Returns the number of deleted families. */
export const purgeFamilies = (tx: SystemTx, before: Date, limit: number) => execute(tx, purgeStatement, [before, limit]);

/** Sessions of the clinic that may still have a valid access token: the last one may outlive its session. */
const OF_CLINIC = `clinic_id = $1 and ended_at is null and expires_at > $2::timestamptz - interval '${LIFETIME_SECONDS} seconds'`;

const endOfClinicStatement = sql(`update session_families set ended_at = $2, end_reason = 'ended' where ${OF_CLINIC}`);
const countOfClinicStatement = sql<{ count: number }>(`select count(*)::int as count from session_families where ${OF_CLINIC}`);

/** Ends all sessions of the clinic. Returns the number of ended sessions. */
export const endClinicFamilies = async (tx: TenantTx, now: Date) => publishEnded(tx, await execute(tx, endOfClinicStatement, [tx.clinicId, now]));

/** The number of sessions that endClinicFamilies would end. */
export const countClinicFamilies = async (tx: TenantTx, now: Date) => (await getRow(tx, countOfClinicStatement, [tx.clinicId, now])).count;

/** Publishes that sessions of the user, or of all users of the clinic, have ended, if any have. Returns their number. */
async function publishEnded(tx: TenantTx, ended: number, userId?: string): Promise<number> {
  if (ended > 0) await emit(tx, tx.clinicId, AccessChangedSchema, userId === undefined ? {} : { userId });
  return ended;
}
