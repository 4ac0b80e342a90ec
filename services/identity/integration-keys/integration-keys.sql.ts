// Integration keys. Only the hash of a key is stored.
import { asSystem, type Db, execute, getRow, readTenant, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';

type KeyRow = {
  clinic_id: string;
  id: string;
  name: string;
  prefix: string;
  scopes: string[];
  created_by: string;
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
};

const COLUMNS = 'clinic_id, id, name, prefix, scopes, created_by, created_at, expires_at, last_used_at';

const listStatement = sql<KeyRow & { total: number }>(`
  select counted.total, page.*
  from (select count(*)::int as total from integration_keys where clinic_id = $1 and revoked_at is null) counted
  left join lateral (
    select ${COLUMNS} from integration_keys where clinic_id = $1 and revoked_at is null order by id desc limit $2 offset $3
  ) page on true`);

export const listKeys = (db: Db, clinicId: string, limit: number, offset: number) => readPage(db, clinicId, listStatement, [clinicId, limit, offset]);

type NewKey = Pick<KeyRow, 'id' | 'name' | 'prefix' | 'scopes' | 'created_by' | 'created_at' | 'expires_at'> & { hash: Buffer };

const insertStatement = sql<KeyRow>(`
  insert into integration_keys (clinic_id, id, name, prefix, key_hash, scopes, created_by, created_at, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ${COLUMNS}`);

/** Violates integration_keys_name_unique when the clinic has a key with this name. */
export function insertKey(tx: TenantTx, { id, name, prefix, hash, scopes, created_by, created_at, expires_at }: NewKey): Promise<KeyRow> {
  const values = [tx.clinicId, id, name, prefix, hash, scopes, created_by, created_at, expires_at];
  return getRow(tx, insertStatement, values);
}

const revokeStatement = sql('update integration_keys set revoked_at = $3 where clinic_id = $1 and id = $2 and revoked_at is null');

/** False if the clinic has no such key, or it was already revoked. */
export const revokeKey = async (tx: TenantTx, id: string, now: Date) => (await execute(tx, revokeStatement, [tx.clinicId, id, now])) === 1;

const expireStatement = sql<{ id: string }>(`
  update integration_keys set revoked_at = $3 where clinic_id = $1 and lower(name) = lower($2) and revoked_at is null and expires_at <= $3 returning id`);

/** Revokes the expired key with this name, if the clinic has one, and returns its id. */
export const revokeExpired = async (tx: TenantTx, name: string, now: Date) => (await row(tx, expireStatement, [tx.clinicId, name, now]))?.id;

const listNamesStatement = sql<{ id: string; name: string }>('select id, name from integration_keys where clinic_id = $1 and id = any($2::uuid[])');

/** The names of keys by id, revoked ones too. */
export async function findKeyNames(db: Db, clinicId: string, ids: string[]): Promise<Map<string, string>> {
  const keys = ids.length > 0 ? await readTenant(db, clinicId, listNamesStatement, [clinicId, ids]) : [];
  return new Map(keys.map(({ id, name }) => [id, name]));
}

const usedStatement = sql('update integration_keys set last_used_at = $3 where clinic_id = $1 and id = $2 and (last_used_at is null or last_used_at < $3)');

/** As the system, like the access check. */
export const setUsed = (db: Db, clinicId: string, id: string, now: Date) => asSystem(db, (tx) => execute(tx, usedStatement, [clinicId, id, now]));
