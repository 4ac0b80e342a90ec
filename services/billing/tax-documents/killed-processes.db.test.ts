// A process that is killed while it issues documents leaves neither gaps nor duplicates, and every document is handed over in the end.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { untilAvailable } from '@clinic/lib/runtime/until-available.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { useTaxOffice } from '../testing/tax-office.ts';
import { INVOICE } from '../testing/tax-orders.ts';

const KEYS = Array.from({ length: 50 }, () => randomUUID());

const office = await useTaxOffice();
const clinic = await office.clinic();

const count = async (where = 'true') =>
  (await office.query(`select count(*)::int as n from dte_documents where clinic_id = $1 and ${where}`, [clinic.id]))[0].n as number;
const lockWaits = async () =>
  (await office.query(`select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`))[0].n as number;

/** Concurrent checkouts in a process of their own, which is killed as soon as `moment` returns true. */
async function killedAt(keys: string[], moment: () => Promise<boolean>): Promise<void> {
  const { database } = office.service;
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    DATABASE: database.ownerUrl,
    AUTHORITY: office.authority.url,
    NOW: office.clock.now().toISOString(),
    CLINIC: clinic.id,
    ORDER: JSON.stringify(INVOICE),
    KEYS: keys.join(),
  };
  const worker = spawn(process.execPath, [path.join(import.meta.dirname, '../testing/checkout-worker.ts')], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env,
  });
  const ended = new Promise((resolve) => worker.once('exit', (_code, signal) => resolve(signal)));
  try {
    await waitFor(moment);
  } finally {
    worker.kill('SIGKILL');
  }
  expect(await ended).toBe('SIGKILL');
}

test('50 concurrent checkouts in processes that are killed', async () => {
  // The authority is slow, so that each kill meets documents in all states.
  await office.authority.mood('slow', undefined, 'slow', 150);
  await killedAt(KEYS.slice(0, 20), async () => (await count()) >= 3);
  const first = await count();

  // The counter is locked, so no checkout has a number when the process is killed.
  const holder = new pg.Client({ connectionString: office.service.database.ownerUrl });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from billing.dte_counters where clinic_id = $1 for update', [clinic.id]);
  await killedAt(KEYS, async () => (await lockWaits()) >= 2);
  await holder.query('rollback');
  await holder.end();
  await waitFor(async () => (await lockWaits()) === 0);
  expect(await count()).toBeLessThanOrEqual(first + 5); // a connection that was just committing

  await killedAt(KEYS.slice(0, 40), async () => (await count("status = 'processed'")) >= 10);

  // Every checkout is repeated under its key; the claims of the killed processes have expired by then.
  await office.authority.mood('answers');
  office.clock.advance(16_000);
  const answers = await Promise.all(KEYS.map((key) => untilAvailable(60, () => office.documents.checkout(INVOICE, clinic.user(key)))));
  expect(new Set(answers.map(({ id }) => id)).size).toBe(50);
  await waitFor(async () => {
    await office.sweep();
    return (await count("status = 'processed'")) === 50;
  });

  expect(await count()).toBe(50);
  const numbers = (await office.query('select number::int from dte_documents where clinic_id = $1 order by number', [clinic.id])).map(({ number }) => number);
  expect(numbers).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  const { documents } = await office.authority.state();
  const known = documents.filter(({ nit }) => nit === clinic.nit).map(({ controlNumber, seal }) => [controlNumber, seal]);
  const stored = await office.query('select control_number, seal from dte_documents where clinic_id = $1', [clinic.id]);
  expect(known.toSorted()).toEqual(stored.map(({ control_number, seal }) => [control_number, seal]).toSorted());
});

test('a document of a killed process is handed over by the job that was queued with it, without a repeat', async () => {
  await office.authority.mood('slow', undefined, 'slow', 1_500);
  const key = randomUUID();
  await killedAt([key], async () => (await count("status = 'pending' and attempts = 1")) === 1);
  await office.authority.mood('answers');
  const [queued] = await office.query(`
    select extract(epoch from start_after - created_on)::float8 as seconds from billing_jobs.job where name = 'hand-over-tax-document' and state = 'created'`);
  expect(queued.seconds).toBeLessThanOrEqual(20);
  office.clock.advance(16_000);
  await office.query(`update billing_jobs.job set start_after = now() where name = 'hand-over-tax-document' and state = 'created'`);
  await waitFor(async () => (await count("status = 'pending'")) === 0);
  expect(await count("status = 'processed'")).toBe(await count());
});
