// Archives of the audit log: files with the oldest rows of a clinic, which verifyAudit() accepts as the beginning of its hash chain. Each line is
// the text whose SHA-256 is the row hash, so the hash of every link can be recomputed from the lines. The last archived link stays in the database,
// and the chain continues from it.
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { type Db, readSystem, sql } from '../db/db.ts';
import { syncFolder } from '../objects/folder-store.ts';
import { chainStart, linkHash, ROW_TEXT } from './audit-chain.ts';

/** Numbers of the first and the last link, both included. */
export type Range = { first: number; last: number };

const PAGE = 5_000;
const UNFINISHED = '.unfinished';

const clinicsStatement = sql<{ clinic_id: string }>('select distinct clinic_id from audit_chain order by 1');
const rowsStatement = sql<{ seq: number; text: string; hash: Buffer; is_old: boolean }>(`
  select a.seq, ${ROW_TEXT} as text, a.hash, l.at < $3 as is_old
  from audit_chain a join audit_log l on l.clinic_id = a.clinic_id and l.id = a.audit_id
  where a.clinic_id = $1 and a.seq > $2 order by a.seq limit ${PAGE}`);
const hashStatement = sql<{ hash: Buffer }>('select hash from audit_chain where clinic_id = $1 and seq = $2');

export const listAuditedClinics = async (db: Db): Promise<string[]> => (await readSystem(db, clinicsStatement, [])).map(({ clinic_id }) => clinic_id);

const sha256 = (text: string) => createHash('sha256').update(text).digest();

/** The next rows of a clinic after a link, up to the first row that is not older than `before`. As the system, because the clinic may be any. */
async function listOldRows(db: Db, clinicId: string, after: number, before: Date) {
  const page = await readSystem(db, rowsStatement, [clinicId, after, before]);
  const end = page.findIndex(({ is_old }) => !is_old);
  return end < 0 ? page : page.slice(0, end);
}

/** The number of rows of all clinics that writeArchive() would write. */
export async function countOldRows(db: Db, before: Date): Promise<number> {
  let count = 0;
  for (const clinicId of await listAuditedClinics(db)) {
    for (let rows = await listOldRows(db, clinicId, 0, before); rows.length > 0; rows = await listOldRows(db, clinicId, rows.at(-1)?.seq ?? 0, before))
      count += rows.length;
  }
  return count;
}

/**
 * Writes the rows of a clinic that are older than `before` into a file in `folder`, and returns their range; undefined when there are none. The file
 * is synced to disk before it gets its final name. Throws when a row differs from the chain.
 */
export async function writeArchive(db: Db, clinicId: string, folder: string, before: Date): Promise<Range | undefined> {
  let rows = await listOldRows(db, clinicId, 0, before);
  const first = rows[0]?.seq;
  if (first === undefined) return undefined;
  let last = first - 1;
  let head = (await readSystem(db, hashStatement, [clinicId, last]))[0]?.hash ?? chainStart(clinicId);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) if (name.endsWith(UNFINISHED)) await rm(path.join(folder, name));
  const unfinished = path.join(folder, randomUUID() + UNFINISHED);
  const file = await open(unfinished, 'wx', 0o600);
  try {
    while (rows.length > 0) {
      for (const { seq, text, hash } of rows) {
        head = linkHash(head, ++last, sha256(text));
        if (seq !== last || !head.equals(hash)) throw new Error(`the audit log of clinic ${clinicId} differs from its hash chain at link ${seq}`);
      }
      await file.writeFile(rows.map(({ text }) => `${text}\n`).join(''));
      rows = await listOldRows(db, clinicId, last, before);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path.join(folder, `${first}-${last}.jsonl`));
  await syncFolder(folder);
  return { first, last };
}

const DELETE = `
  with archived as (select audit_id from audit_chain where clinic_id = $1 and seq between $2 and $3),
  deleted as (delete from audit_log where clinic_id = $1 and id in (select audit_id from archived) returning id),
  personal as (delete from audit_personal where clinic_id = $1 and id in (select audit_id from archived)),
  links as (delete from audit_chain where clinic_id = $1 and seq < $3)
  select count(*)::int as rows from deleted`;

/**
 * Deletes the archived rows in small transactions. `owner` is a connection of the owner of the database, who alone may delete them, with the
 * search path of the service's schema.
 */
export async function deleteArchived(owner: pg.Client, clinicId: string, { first, last }: Range): Promise<void> {
  for (let from = first; from <= last; from += PAGE) {
    const to = Math.min(from + PAGE - 1, last);
    await owner.query('begin');
    const { rows } = await owner.query<{ rows: number }>(DELETE, [clinicId, from, to]);
    const isWhole = rows[0]?.rows === to - from + 1;
    await owner.query(isWhole ? 'commit' : 'rollback');
    if (!isWhole) throw new Error('the rows could not be deleted: DATABASE_URL must name a superuser or a role with BYPASSRLS, and one run at a time');
  }
}

/** Yields the row hashes of the links 1, 2, 3 … `upTo` of a clinic, and ends early when no archive contains the next one. */
export type ReadArchives = (clinicId: string, upTo: number) => AsyncIterable<Buffer>;

/** Reads the archives of a service; `folderOf` is where writeArchive() wrote those of a clinic. Files may overlap, as after an interrupted run. */
export function readArchives(folderOf: (clinicId: string) => string): ReadArchives {
  return async function* read(clinicId, upTo) {
    const files = (await readdir(folderOf(clinicId)).catch(() => [])).flatMap((name) => {
      const [, first, last] = /^(\d+)-(\d+)\.jsonl$/.exec(name) ?? [];
      return first && last ? [{ name, first: Number(first), last: Number(last) }] : [];
    });
    for (let next = 1; next <= upTo; ) {
      const begun = next;
      const [file] = files.filter(({ first, last }) => first <= begun && begun <= last).toSorted((a, b) => b.last - a.last);
      if (!file) return;
      let seq = file.first;
      for await (const line of linesOf(path.join(folderOf(clinicId), file.name))) {
        if (seq++ < next) continue;
        yield sha256(line);
        next++;
        if (next > upTo) return;
      }
      if (next === begun) return; // the file is shorter than its name says
    }
  };
}

/** The complete lines of a file. Only line feeds end a line: other line separators, such as U+2028, may be part of a text. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
