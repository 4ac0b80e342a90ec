// Each process of a service announces itself in the database while it runs, with the ids of its encryption keys, so that keys are rotated only
// when every running process can decrypt the result.
import { hostname } from 'node:os';
import { v7 as uuidv7 } from 'uuid';
import { startLoop } from '../background/loop.ts';
import type { Stoppable } from '../background/stop.ts';
import type { NamedKey } from '../config/config.ts';
import { asSystem, type Db, execute, readSystem, sql } from '../db/db.ts';
import type { Log } from '../telemetry/log.ts';

export type RunningProcess = {
  host: string;
  pid: number;
  /** Ids of the keys. The process encrypts with the first one. */
  encryption_key_ids: string[];
};

const EVERY_MS = 20_000;
/** A process that has not renewed its announcement for this long is considered ended. */
export const ENDED_AFTER_SECONDS = 120;

const announceStatement = sql(`
  insert into running_processes (process_id, host, pid, encryption_key_ids, system_login) values ($1, $2, $3, $4, true)
  on conflict (process_id) do update set last_seen_at = now()`);
const removeStatement = sql('delete from running_processes where process_id = $1');
const removeEndedStatement = sql(`
  delete from running_processes where process_id in (
    select process_id from running_processes where last_seen_at < now() - interval '${ENDED_AFTER_SECONDS} seconds' for update skip locked)`);
const listStatement = sql<RunningProcess>(`
  select host, pid, encryption_key_ids from running_processes
  where last_seen_at >= now() - interval '${ENDED_AFTER_SECONDS} seconds' order by host, pid, process_id`);

/** Announces this process until stopped. Resolves after the first announcement; nothing may be encrypted before that. */
export async function announceProcess(options: { db: Db; keys: NamedKey[]; log: Log; everyMs?: number }): Promise<Stoppable> {
  const { db, keys, log, everyMs = EVERY_MS } = options;
  const processId = uuidv7();
  const announcement = [processId, hostname(), process.pid, keys.map(({ id }) => id)];
  // As the system, because processes belong to no clinic.
  const announce = () =>
    asSystem(db, async (tx) => {
      await Promise.all([execute(tx, announceStatement, announcement), execute(tx, removeEndedStatement)]);
    });
  await announce();
  const loop = startLoop({ log, failure: 'the process could not announce its encryption keys', firstMs: everyMs, everyMs }, announce);
  return {
    async stop() {
      await loop.stop();
      await asSystem(db, (tx) => execute(tx, removeStatement, [processId])).catch((error: unknown) =>
        log.warn({ err: error }, `could not remove the announcement of this process from running_processes; it expires in ${ENDED_AFTER_SECONDS} seconds`),
      );
    },
  };
}

/** The running processes of a service, as announced in its schema. */
export const listRunningProcesses = (db: Db): Promise<RunningProcess[]> => readSystem(db, listStatement, []);
