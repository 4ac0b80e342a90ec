// A hash chain for each clinic makes tampering with the audit log detectable. One worker at a time adds rows to the chain, soon after they were
// written: hash(n) = SHA-256(hash(n-1) ‖ n as 8 bytes, big-endian ‖ row hash); hash(0) = SHA-256(clinic id).
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLoopOnWritten } from '../background/loop.ts';
import type { Stoppable } from '../background/stop.ts';
import { asSystem, type Db, execute, readSystem, row, rows, type SystemTx, sql } from '../db/db.ts';
import type { Log } from '../telemetry/log.ts';

/** SQL for the text of the audit_log row `l`: all its columns, with its time as seconds since 1970, exact to the microsecond. */
export const ROW_TEXT = `jsonb_build_array(l.clinic_id, l.id, extract(epoch from l.at), l.actor_kind, l.actor_id, l.action,
  l.entity, l.entity_id, l.changes, l.ip, l.request_id)::text`;

/** SQL for the row hash, the SHA-256 of that text in UTF-8. */
export const ROW_HASH = `sha256(convert_to(${ROW_TEXT}, 'UTF8'))`;

/** hash(0). */
export const chainStart = (clinicId: string): Buffer => createHash('sha256').update(clinicId).digest();

export function linkHash(before: Buffer, seq: number, rowHash: Buffer): Buffer {
  const number = Buffer.alloc(8);
  number.writeBigUInt64BE(BigInt(seq));
  return createHash('sha256').update(before).update(number).update(rowHash).digest();
}

/** Pause after a pass, in which further entries gather for the next one. */
const GATHER_MS = 5_000;
/** Interval of passes for entries of processes that have ended. */
const SWEEP_MS = 30_000;
const BATCH = 500;

/** Links new rows until stopped. */
export function startAuditChain({ db, log }: { db: Db; log: Log }): Stoppable {
  const failure = 'audit log: rows were not added to the hash chain';
  return startLoopOnWritten(db, 'audit', { log, failure, everyMs: SWEEP_MS }, async (stopped) => {
    while ((await linkBatch(db)) === BATCH && !stopped.aborted);
    await sleep(GATHER_MS, undefined, { signal: stopped }).catch(() => {});
  });
}

const anyStatement = sql('select from audit_pending limit 1');
const lockStatement = sql<{ locked: boolean }>(`select pg_try_advisory_xact_lock(hashtextextended('audit chain ' || current_schema(), 0)) as locked`);
const pendingStatement = sql<{ clinic_id: string; id: string; row_hash: Buffer }>(`
  select l.clinic_id, l.id, ${ROW_HASH} as row_hash
  from (select clinic_id, id from audit_pending order by clinic_id, id limit $1) p join audit_log l on l.clinic_id = p.clinic_id and l.id = p.id
  order by l.clinic_id, l.id`);
const headsStatement = sql<{ clinic_id: string; seq: number; hash: Buffer }>(`
  select c.clinic_id, head.seq, head.hash from unnest($1::uuid[]) c (clinic_id)
  cross join lateral (select a.seq, a.hash from audit_chain a where a.clinic_id = c.clinic_id order by a.seq desc limit 1) head`);
const insertStatement = sql(`
  insert into audit_chain (clinic_id, seq, audit_id, row_hash, hash)
  select * from unnest($1::uuid[], $2::int[], $3::uuid[], $4::bytea[], $5::bytea[])`);
const doneStatement = sql('delete from audit_pending where (clinic_id, id) in (select * from unnest($1::uuid[], $2::uuid[]))');

/** Links up to BATCH rows and returns their number; 0 while another replica is linking rows. */
export async function linkBatch(db: Db): Promise<number> {
  // As the system, because the rows belong to all clinics.
  if ((await readSystem(db, anyStatement, [])).length === 0) return 0;
  return asSystem(db, async (tx) => {
    if (!(await row(tx, lockStatement))?.locked) return 0;
    const pending = await rows(tx, pendingStatement, [BATCH]);
    if (pending.length > 0) await link(tx, pending);
    return pending.length;
  });
}

async function link(tx: SystemTx, pending: { clinic_id: string; id: string; row_hash: Buffer }[]): Promise<void> {
  const clinics = pending.map(({ clinic_id }) => clinic_id);
  const heads = new Map((await rows(tx, headsStatement, [[...new Set(clinics)]])).map(({ clinic_id, seq, hash }) => [clinic_id, { seq, hash }]));
  const links = pending.map(({ clinic_id, row_hash }) => {
    const before = heads.get(clinic_id) ?? { seq: 0, hash: chainStart(clinic_id) };
    const seq = before.seq + 1;
    const added = { seq, hash: linkHash(before.hash, seq, row_hash) };
    heads.set(clinic_id, added);
    return added;
  });
  const ids = pending.map(({ id }) => id);
  await execute(tx, insertStatement, [clinics, links.map(({ seq }) => seq), ids, pending.map(({ row_hash }) => row_hash), links.map(({ hash }) => hash)]);
  await execute(tx, doneStatement, [clinics, ids]);
}
