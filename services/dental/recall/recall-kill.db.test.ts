// A killed run continues with the next run: every patient is contacted exactly once.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { type Recall, startRecall } from '../testing/recall-clinic.ts';

let r: Recall;
beforeAll(async () => {
  r = await startRecall();
});
afterAll(() => r.stop());

const NIGHT = '2026-06-02T08:00:00Z';
const [CLINICS, PATIENTS] = [12, 30];

test('a run that is killed and repeated contacts every patient once', async () => {
  r.clock.set(new Date(NIGHT));
  await r.query(`create table public.made as select gen_random_uuid() as clinic_id from generate_series(1, ${CLINICS})`);
  await r.query(`insert into recall_campaigns select clinic_id, uuidv7(), 'Control', null, 180, 'Hola', '09:00', 2, 7, true, 1, now(), now() from public.made`);
  await r.query(`insert into recall_patients select clinic_id, uuidv7(), false, null, true, false, 1 from public.made, generate_series(1, ${PATIENTS})`);
  await r.query(`insert into recall_visits select clinic_id, uuidv7(), patient_id, '2025-06-01', '2025-06-01', 'completed', 1 from recall_patients`);

  // A transaction locks the run records of two clinics, so that both workers of the run wait after inserting contacts and before the commit.
  const holder = new pg.Client({ connectionString: r.service.database.ownerUrl });
  await holder.connect();
  await holder.query('begin');
  await holder.query(`insert into dental.recall_runs select clinic_id, '2026-06-02', 0 from public.made order by clinic_id offset 6 limit 2`);

  const worker = spawn(process.execPath, [path.join(import.meta.dirname, '../testing/recall-worker.ts'), r.service.database.ownerUrl, NIGHT], {
    stdio: 'inherit',
  });
  const ended = new Promise((resolve) => worker.once('exit', (_code, signal) => resolve(signal)));
  const runs = async () => (await r.query('select count(*)::int as n from recall_runs'))[0].n;
  await waitFor(async () => (await runs()) === 6 && (await waiting()) === 2);
  worker.kill('SIGKILL');
  expect(await ended).toBe('SIGKILL');
  await holder.query('rollback');
  await holder.end();
  await waitFor(async () => (await waiting()) === 0);
  expect(await runs()).toBe(6);

  await r.run();
  expect(await runs()).toBe(CLINICS);
  const [counted] = await r.query('select count(*)::int as contacts, count(distinct (clinic_id, patient_id))::int as patients from recall_contacts');
  expect(counted).toEqual({ contacts: CLINICS * PATIENTS, patients: CLINICS * PATIENTS });
});

/** The number of connections that wait for a lock in this database. */
async function waiting(): Promise<number> {
  const [counted] = await r.query(`select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
  return counted.n;
}
