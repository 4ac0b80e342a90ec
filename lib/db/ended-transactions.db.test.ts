// When one of the concurrent branches of a transaction fails, later statements of the others fail, and never become part of the next transaction.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pino from 'pino';
import { audit } from '../audit/audit.ts';
import { systemClock } from '../clock/clock.ts';
import { enqueue, job, startJobs } from '../jobs/jobs.ts';
import { serviceCaller } from '../rpc/caller.ts';
import { testDatabase } from '../testing/database.ts';
import { asSystem, closeDb, type Db, inTenant, openDb, rows, sql, type Tx } from './db.ts';

const CLINIC = randomUUID();
const CALLER = serviceCaller('messaging', 'request-1');
const log = pino({ level: 'silent' });
const count = sql<{ n: number }>(`select count(*)::int as n from audit_log where entity_id = $1`);
const queued = sql<{ n: number }>(`select count(*)::int as n from scheduling_jobs.job where name = 'late' and data ->> 'id' = $1`);
const nothing = sql('select');

let database: Awaited<ReturnType<typeof testDatabase>>;
let db: Db;
beforeAll(async () => {
  database = await testDatabase();
  db = openDb(database.urls('scheduling'), { schema: 'scheduling', max: 1, log });
  const jobs = await startJobs([job('late', {}, async () => {})], { db, clock: systemClock, log });
  await jobs.stop();
});
afterAll(async () => {
  await closeDb(db);
  await database.drop();
});

const begin = {
  tenant: (work: (tx: Tx) => Promise<unknown>) => inTenant(db, CLINIC, work),
  system: (work: (tx: Tx) => Promise<unknown>) => asSystem(db, work),
};
const late = {
  statements: (tx: Tx, id: string) => audit(tx, CLINIC, CALLER, { action: 'patient.updated', entityId: id }),
  jobs: (tx: Tx, id: string) => enqueue(tx, 'late', { id }),
};

test.each(['tenant', 'system'] as const)('%s: a transaction fails when one of its statements failed, although the error was caught', async (kind) => {
  const id = randomUUID();
  const work = begin[kind](async (tx) => {
    await late.statements(tx, id);
    await rows(tx, sql('select 1 / $1::int'), [0]).catch(() => {});
  });
  await expect(work).rejects.toThrow('division by zero');
  const swallowed = begin[kind]((tx) => rows(tx, sql('select 1 / $1::int'), [0]).catch(() => 'done'));
  await expect(swallowed).rejects.toThrow('division by zero');
});

test.each([
  ['tenant', 'statements'],
  ['tenant', 'jobs'],
  ['system', 'statements'],
  ['system', 'jobs'],
] as const)('%s: late %s are not executed', async (kind, what) => {
  const id = randomUUID();
  for (let turns = 0; turns < 6; turns++) {
    const refused = begin[kind](async (tx) => {
      const refuse = async () => {
        await rows(tx, nothing);
        throw new Error('refused');
      };
      const goOn = async () => {
        for (let turn = 0; turn < turns; turn++) await rows(tx, nothing);
        await rows(tx, nothing);
        await late[what](tx, id);
      };
      await Promise.all([refuse(), goOn()]);
    });
    const next = begin[kind](async (tx) => {
      for (let n = 0; n < 10; n++) await rows(tx, nothing);
    });
    await Promise.all([expect(refused).rejects.toThrow('refused'), next]);
  }
  const [found] = await asSystem(db, (tx) => rows(tx, what === 'jobs' ? queued : count, [id]));
  expect(found?.n).toBe(0);
});
