// Key rotation: what was sealed under an older key of the ring is sealed again under the first one, in small batches, while
// the services go on. Each service names its sealed columns as `encrypted` in its modules.
import type { NamedKey } from '../config/config.ts';
import { asSystem, type Db, execute, row, rows, type SystemTx, sql } from '../db/db.ts';
import { blindIndex, decrypt, encrypt } from './crypto.ts';

export type EncryptedColumn = {
  table: string;
  /** The primary key. */
  key: readonly string[];
  column: string;
  /** Other columns that the context is made of. */
  reads?: readonly string[];
  /** Where the value of a row belongs: as the service itself seals it. */
  context: (row: KeyedRow) => string;
  /** A blind index of the value beside it. */
  index?: { column: string; context: (row: KeyedRow) => string };
};

/** Key and `reads` of a row as the database gives them. */
// biome-ignore lint/suspicious/noExplicitAny: ids are texts, hashes are bytes: the service that names the columns knows
export type KeyedRow = Record<string, any>;

const BATCH = 200;

/** How many values of a column are sealed under another key than the ring's first. */
export async function countOutdated(db: Db, keys: NamedKey[], { table, column }: EncryptedColumn): Promise<number> {
  const statement = sql<{ n: number }>(`select count(*)::int as n from ${table} where ${stale(column)}`);
  // As the system: over all clinics.
  return (await asSystem(db, (tx) => row(tx, statement, [firstId(keys)])))?.n ?? 0;
}

export type ReencryptProgress = { done: number; failed: number };

/** Seals the column's values again, and says after each batch how far it is. A value that cannot be opened is counted and left as it is. */
export async function reencrypt(
  db: Db,
  keys: NamedKey[],
  sealed: EncryptedColumn,
  tell: (progress: ReencryptProgress) => void = () => {},
): Promise<ReencryptProgress> {
  const { table, key, column, reads = [], index } = sealed;
  const names = key.join(', ');
  const select = (after: string) => `select ${[...new Set([...key, ...reads])].join(', ')}, ${column} as sealed from ${table}
    where ${stale(column)}${after} order by ${names} limit ${BATCH}`;
  const first = sql<KeyedRow & { sealed: Buffer }>(select(''));
  const next = sql<KeyedRow & { sealed: Buffer }>(select(` and (${names}) > (${key.map((_, n) => `$${n + 2}`).join(', ')})`));
  // A value that was changed meanwhile is left to who changed it: that one used the first key.
  const update = sql(`update ${table} set ${column} = $1${index ? `, ${index.column} = $2` : ''}
    where ${column} = $${index ? 3 : 2} and ${key.map((name, n) => `${name} = $${n + (index ? 4 : 3)}`).join(' and ')}`);

  const progress: ReencryptProgress = { done: 0, failed: 0 };
  let last: KeyedRow | undefined;
  do {
    const after = last ? key.map((name) => last?.[name]) : undefined;
    // As the system: over all clinics.
    last = await asSystem(db, async (tx: SystemTx) => {
      const batch = await rows(tx, after ? next : first, [firstId(keys), ...(after ?? [])]);
      for (const found of batch) {
        const values = sealAgain(keys, sealed, found);
        if (!values) progress.failed += 1;
        else progress.done += await execute(tx, update, [...values, found.sealed, ...key.map((name) => found[name])]);
      }
      return batch.length === BATCH ? batch.at(-1) : undefined;
    });
    tell(progress);
  } while (last);
  return progress;
}

function sealAgain(keys: NamedKey[], { context, index }: EncryptedColumn, found: KeyedRow & { sealed: Buffer }): Buffer[] | undefined {
  let value: string;
  try {
    value = decrypt(keys, found.sealed, context(found));
  } catch {
    return undefined;
  }
  const [newest] = keys;
  return [encrypt(keys, value, context(found)), ...(index && newest ? [blindIndex(newest, index.context(found), value)] : [])];
}

// The layout of seal(): version, length of the key id, key id.
const stale = (column: string) => `${column} is not null and substring(${column} from 3 for get_byte(${column}, 1)) <> $1`;
const firstId = (keys: NamedKey[]) => Buffer.from(keys[0]?.id ?? '');
