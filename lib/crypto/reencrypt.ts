// Key rotation: values that were encrypted with an older key of the ring are encrypted again with the first key, in small batches, while
// the services run. Modules list their encrypted columns as `encrypted` in module.ts.
import type { NamedKey } from '../config/config.ts';
import { asSystem, type Db, execute, readSystem, rows, type SystemTx, sql } from '../db/db.ts';
import { blindIndex, decryptBytes, encrypt } from './crypto.ts';

export type EncryptedColumn = {
  table: string;
  /** The primary key. */
  key: readonly string[];
  column: string;
  /** Other columns that `context` uses. */
  reads?: readonly string[];
  /** The context of a row's value, the same as in the service's own calls of encrypt(). */
  context: (row: KeyedRow) => string;
  /** The blind index of the value, which must be text, in another column. */
  index?: { column: string; context: (row: KeyedRow) => string };
};

/** Columns of `key` and `reads`, as the database returns them. */
// biome-ignore lint/suspicious/noExplicitAny: their types depend on the columns
export type KeyedRow = Record<string, any>;

const BATCH = 200;

/** The number of values of a column that are not encrypted with the first key of the ring. */
export async function countOutdated(db: Db, keys: NamedKey[], { table, column }: EncryptedColumn): Promise<number> {
  const statement = sql<{ n: number }>(`select count(*)::int as n from ${table} where ${isOutdated(column)}`);
  // As the system, because the values belong to all clinics.
  return (await readSystem(db, statement, [firstId(keys)]))[0]?.n ?? 0;
}

type ReencryptProgress = { done: number; failed: number };

/** Encrypts the values of a column again and reports progress after each batch. A value that cannot be decrypted stays as it is and counts as failed. */
export async function reencrypt(
  db: Db,
  keys: NamedKey[],
  encrypted: EncryptedColumn,
  onProgress: (progress: ReencryptProgress) => void = () => {},
): Promise<ReencryptProgress> {
  const { table, key, column, reads = [], index } = encrypted;
  const names = key.join(', ');
  const select = (after: string) => `select ${[...new Set([...key, ...reads])].join(', ')}, ${column} as value from ${table}
    where ${isOutdated(column)}${after} order by ${names} limit ${BATCH}`;
  const first = sql<KeyedRow & { value: Buffer }>(select(''));
  const next = sql<KeyedRow & { value: Buffer }>(select(` and (${names}) > (${key.map((_, n) => `$${n + 2}`).join(', ')})`));
  // A value that was changed in the meantime is not overwritten, since its writer used the first key.
  const update = sql(`update ${table} set ${column} = $1${index ? `, ${index.column} = $2` : ''}
    where ${column} = $${index ? 3 : 2} and ${key.map((name, n) => `${name} = $${n + (index ? 4 : 3)}`).join(' and ')}`);

  const progress: ReencryptProgress = { done: 0, failed: 0 };
  let last: KeyedRow | undefined;
  do {
    const after = last ? key.map((name) => last?.[name]) : undefined;
    // As the system, because the values belong to all clinics.
    last = await asSystem(db, async (tx: SystemTx) => {
      const batch = await rows(tx, after ? next : first, [firstId(keys), ...(after ?? [])]);
      for (const found of batch) {
        const values = encryptAgain(keys, encrypted, found);
        if (!values) progress.failed += 1;
        else progress.done += await execute(tx, update, [...values, found.value, ...key.map((name) => found[name])]);
      }
      return batch.length === BATCH ? batch.at(-1) : undefined;
    });
    onProgress(progress);
  } while (last);
  return progress;
}

function encryptAgain(keys: NamedKey[], { context, index }: EncryptedColumn, found: KeyedRow & { value: Buffer }): Buffer[] | undefined {
  let value: Buffer;
  try {
    value = decryptBytes(keys, found.value, context(found));
  } catch {
    return undefined;
  }
  const [newest] = keys;
  return [encrypt(keys, value, context(found)), ...(index && newest ? [blindIndex(newest, index.context(found), value.toString('utf8'))] : [])];
}

// Reads the key id by the layout of encrypt().
const isOutdated = (column: string) => `${column} is not null and substring(${column} from 3 for get_byte(${column}, 1)) <> $1`;
const firstId = (keys: NamedKey[]) => Buffer.from(keys[0]?.id ?? '');
