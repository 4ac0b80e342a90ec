// A process that is killed while it issues leaves neither a gap nor a double, and nothing that is not delivered in the end.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { type Desk, INVOICE, openDesk } from '../testing/tax-office.ts';

const KEYS = Array.from({ length: 50 }, () => randomUUID());
const WAIT_MS = 30_000;

let desk: Desk;
let clinic: Awaited<ReturnType<Desk['clinic']>>;
beforeAll(async () => {
  desk = await openDesk();
  clinic = await desk.clinic();
});
afterAll(() => desk.stop());

const count = async (where = 'true') =>
  (await desk.look(`select count(*)::int as n from dte_documents where clinic_id = $1 and ${where}`, [clinic.id]))[0].n as number;
const waiting = async () =>
  (await desk.look(`select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`))[0].n as number;

/** So many at once in a process of its own, which is killed as soon as `moment` has come. */
async function killedAt(keys: string[], moment: () => Promise<boolean>): Promise<void> {
  const { database } = desk.service;
  const env = {
    PATH: process.env.PATH,
    DATABASE: database.url('billing'),
    AUTHORITY: desk.authority.url,
    NOW: desk.clock.now().toISOString(),
    CLINIC: clinic.id,
    ORDER: JSON.stringify(INVOICE),
    KEYS: keys.join(),
  };
  const worker = spawn(process.execPath, [path.join(import.meta.dirname, '../testing/checkout-worker.ts')], { stdio: 'inherit', env });
  const ended = new Promise((resolve) => worker.once('exit', (_code, signal) => resolve(signal)));
  try {
    await waitFor(moment, WAIT_MS);
  } finally {
    worker.kill('SIGKILL');
  }
  expect(await ended).toBe('SIGKILL');
}

test('50 racing checkouts, killed again and again', async () => {
  // The authority takes its time, so that each kill meets documents in all states.
  await desk.authority.mood('slow', undefined, 'slow', 150);
  await killedAt(KEYS.slice(0, 20), async () => (await count()) >= 3);
  const first = await count();

  // Somebody holds the counter: nobody has a number when the kill comes.
  const holder = new pg.Client({ connectionString: desk.service.database.ownerUrl });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from billing.dte_counters where clinic_id = $1 for update', [clinic.id]);
  await killedAt(KEYS, async () => (await waiting()) >= 2);
  await holder.query('rollback');
  await holder.end();
  await waitFor(async () => (await waiting()) === 0);
  expect(await count()).toBeLessThanOrEqual(first + 5); // a connection that was just committing

  await killedAt(KEYS.slice(0, 40), async () => (await count("status = 'processed'")) >= 10);

  // Whoever asked asks again, under the same keys; the claims of the dead have run out by then.
  await desk.authority.mood('answers');
  desk.clock.advance(120_000);
  const answers = await Promise.all(KEYS.map((key) => desk.documents.checkout(INVOICE, clinic.user(key))));
  expect(new Set(answers.map(({ id }) => id)).size).toBe(50);
  await waitFor(async () => {
    await desk.sweep();
    return (await count("status = 'processed'")) === 50;
  }, WAIT_MS);

  expect(await count()).toBe(50);
  const numbers = (await desk.look('select number::int from dte_documents where clinic_id = $1 order by number', [clinic.id])).map(({ number }) => number);
  expect(numbers).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  const { documents } = await desk.authority.state();
  const known = documents.filter(({ nit }) => nit === clinic.nit).map(({ controlNumber, seal }) => [controlNumber, seal]);
  const kept = await desk.look('select control_number, seal from dte_documents where clinic_id = $1', [clinic.id]);
  expect(known.toSorted()).toEqual(kept.map(({ control_number, seal }) => [control_number, seal]).toSorted());
}, 120_000);
