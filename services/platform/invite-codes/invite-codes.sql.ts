// Invite codes. They belong to no clinic, so all statements run as the system. Each change of state is one conditional UPDATE, so that only
// one of several concurrent callers succeeds.
import { type Db, execute, getRow, readSystem, row, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import { isUnclaimed } from '@clinic/lib/db/has-passed.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import type { Terms } from './terms-rules.ts';

type InviteCodeRow = {
  id: string;
  code: string;
  email: string | null;
  plan: string;
  days: number | null;
  expires_at: Date | null;
  source: string;
  notes: string | null;
  created_at: Date;
  used_at: Date | null;
  used_by_clinic_id: string | null;
  revoked_at: Date | null;
};

export const toProto = (code: InviteCodeRow) => ({ ...toFields(code), isUsed: code.used_at !== null });

const COLUMNS = 'id, code, email, plan, days, expires_at, source, notes, created_at, used_at, used_by_clinic_id, revoked_at';

const listStatement = sql<InviteCodeRow>(`select ${COLUMNS} from invite_codes order by created_at desc, id desc`);

/** Newest first. */
export const listAllInviteCodes = (db: Db): Promise<InviteCodeRow[]> => readSystem(db, listStatement, []);

const insertStatement = sql<InviteCodeRow>(`
  insert into invite_codes (id, code, email, plan, days, expires_at, source, notes, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  returning ${COLUMNS}`);

type NewInviteCode = Terms & { id: string; code: string; email: string | null; source: 'manual' | 'demo'; notes: string | null };

export const insertInviteCode = (tx: SystemTx, { id, code, email, plan, days, expires_at, source, notes }: NewInviteCode, now: Date) =>
  getRow(tx, insertStatement, [id, code, email, plan, days, expires_at, source, notes, now]);

/** A reservation lasts a minute; clocks of processes differ a little. */
const isFree = (now: string) => isUnclaimed('held_until', `${now}::timestamptz`, '2 minutes');

const reserveStatement = sql<InviteCodeRow>(`
  update invite_codes set held_by_clinic_id = $3, held_until = $5
  where code = $1 and (email is null or normalize(email) = $2) and used_at is null and revoked_at is null
    and (expires_at is null or expires_at > $4) and (${isFree('$4')} or held_by_clinic_id = $3)
  returning ${COLUMNS}`);

type Reservation = { code: string; email: string; clinicId: string; until: Date };

/** Undefined if the code does not exist or cannot be reserved. */
export const reserve = (tx: SystemTx, { code, email, clinicId, until }: Reservation, now: Date) =>
  row(tx, reserveStatement, [code, email, clinicId, now, until]);

const useStatement = sql(`
  update invite_codes set used_at = coalesce(used_at, $3), used_by_clinic_id = $2, held_by_clinic_id = null, held_until = null
  where id = $1 and (used_by_clinic_id is null or used_by_clinic_id = $2)`);

/** Succeeds even if another clinic has reserved the code, since this clinic has registered with it. False if the code does not exist or another clinic used it. */
export const markInviteCodeUsed = async (tx: SystemTx, id: string, clinicId: string, now: Date) => (await execute(tx, useStatement, [id, clinicId, now])) === 1;

const releaseStatement = sql(`update invite_codes set held_by_clinic_id = null, held_until = null where id = $1 and held_by_clinic_id = $2`);

export const release = (tx: SystemTx, id: string, clinicId: string) => execute(tx, releaseStatement, [id, clinicId]);

const revokeStatement = sql<InviteCodeRow>(`
  update invite_codes set revoked_at = coalesce(revoked_at, $2), held_by_clinic_id = null, held_until = null
  where id = $1 and used_at is null and ${isFree('$2')}
  returning ${COLUMNS}`);

/** Undefined if the code does not exist, is used or is reserved. */
export const revokeInviteCode = (tx: SystemTx, id: string, now: Date) => row(tx, revokeStatement, [id, now]);

const findStatement = sql<InviteCodeRow>(`select ${COLUMNS} from invite_codes where id = $1`);

export const findInviteCode = (tx: SystemTx, id: string) => row(tx, findStatement, [id]);
