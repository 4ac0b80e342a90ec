// A frozen PostgreSQL: statements fail within 4 seconds, the outage is logged once, and work continues as soon as the server does.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { asSystem, closeDb, type Db, execute, openDb, readSystem, sql } from '@clinic/lib/db/db.ts';
import { toServiceError } from '@clinic/lib/errors/errors.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { familyOf, signal } from '../../processes.ts';
import { tempFolder } from '../temp-folder.ts';
import { pidIn } from './leftover.ts';
import { type Embedded, startPostgres } from './postgres.ts';

const folder = tempFolder('frozen');
const lines: Record<string, unknown>[] = [];
let server: Embedded;
let db: Db;

beforeAll(async () => {
  server = await startPostgres({ dataDir: folder, fleeting: true });
  const log = createLog('test', 'info', { write: (line) => lines.push(JSON.parse(line)) });
  db = openDb({ DATABASE_URL: server.url, DATABASE_SYSTEM_URL: server.url }, { schema: 'public', max: 8, log });
});

afterAll(async () => {
  signalAll('SIGCONT');
  await closeDb(db);
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Signals the server and the processes of its connections. */
const signalAll = (name: NodeJS.Signals) => signal(familyOf(pidIn(path.join(folder, 'postgres/cluster/postmaster.pid'))), name);

const now = sql<{ now: Date }>('select now() as now');
const nap = sql('select pg_sleep(2)');
const read = () => readSystem(db, now, []);

async function failure(work: () => Promise<unknown>): Promise<{ reason: string; ms: number }> {
  const began = performance.now();
  const error = await work().then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  return { reason: toServiceError(error, {}).reason, ms: performance.now() - began };
}

test('a slow statement on a server that responds completes', async () => {
  await asSystem(db, (tx) => execute(tx, nap));
});

test('statements on a frozen server fail within 4 seconds, with one warning and one line when it responds again', async () => {
  await Promise.all([read(), read(), read()]); // connections that were open before
  lines.length = 0;
  signalAll('SIGSTOP');
  const waiting = Array.from({ length: 30 }, (_, index) => failure(index % 2 ? read : () => asSystem(db, (tx) => execute(tx, now))));
  for (const { reason, ms } of await Promise.all(waiting)) {
    expect(reason).toBe('UNAVAILABLE');
    expect(ms).toBeLessThan(4_000);
  }
  expect(await failure(read)).toMatchObject({ reason: 'UNAVAILABLE' });
  signalAll('SIGCONT');
  await waitFor(async () => (await read().catch(() => false)) !== false && lines.length > 1);
  const address = new URL(server.url).host;
  expect(lines.map(({ level, msg, address }) => ({ level, msg, address }))).toEqual([
    { level: 'warn', msg: 'PostgreSQL is unavailable', address },
    { level: 'warn', msg: 'PostgreSQL is available again', address },
  ]);
  expect(lines[0]).toHaveProperty('err.message', expect.stringMatching(/timeout exceeded when trying to connect|does not answer/));
});
