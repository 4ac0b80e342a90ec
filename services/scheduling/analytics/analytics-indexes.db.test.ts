// The dashboard reads sums by day, by index, and no table that grows with the appointments, so that a year of a large clinic takes no
// longer than one of a small clinic.
import { randomUUID } from 'node:crypto';
import type { Batch, Prepared } from '@clinic/lib/db/batch.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { type Scheduling, startScheduling } from '../testing/clinic.ts';
import { findHourSums, findSums } from './sql/dashboard.sql.ts';

let s: Scheduling;
let client: pg.Client;
beforeAll(async () => {
  s = await startScheduling();
  // As the role of requests, since its policies are part of the plans.
  client = new pg.Client({ connectionString: s.service.database.urls('scheduling').DATABASE_URL, options: '-c search_path=scheduling' });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await s.service.stop();
});

type Node = { 'Node Type': string; 'Relation Name'?: string; 'Index Cond'?: string; Plans?: Node[] };

const id = randomUUID();
const YEAR = { from: '2026-01-01', to: '2026-12-31', previousFrom: '2025-01-01', previousTo: '2025-12-31' };

/** The statements that `work` sends. */
async function sentBy(work: (tx: TenantTx) => Promise<unknown>): Promise<Prepared[]> {
  return inTenant(s.service.db, id, async (tx) => {
    const query = jest.spyOn(tx.client, 'query'); // background work of the service uses other connections
    await work(tx);
    const sent = query.mock.calls.flatMap(([batch]) => (batch as unknown as Batch).statements).filter(({ text }) => /\bfrom\b/.test(text));
    query.mockRestore();
    return sent;
  });
}

async function scansOf({ text, values }: Prepared): Promise<Node[]> {
  await client.query('begin');
  try {
    // The tables of a test are so small that the planner would choose sequential scans.
    await client.query(`set local app.clinic_id = '${id}'; set local enable_seqscan = off`);
    const { rows } = await client.query(`explain (format json) ${text}`, values);
    const found: Node[] = [];
    const walk = (node: Node) => {
      if (node['Node Type'].endsWith('Scan')) found.push(node);
      node.Plans?.forEach(walk);
    };
    walk(rows[0]['QUERY PLAN'][0].Plan);
    return found;
  } finally {
    await client.query('rollback');
  }
}

const TABLES = [
  'analytics_days',
  'analytics_patient_days analytics_seen_days',
  'analytics_revenue_days',
  'analytics_document_days',
  'analytics_revenue_days',
  'analytics_procedure_days',
  'analytics_treatment_days',
  'analytics_treatments',
  'analytics_receivable_days',
  'analytics_days doctor_breaks doctor_vacations doctor_working_hours doctors',
  'analytics_resource_days resources',
  'analytics_hours',
];

test('the dashboard reads sums, by clinic and date', async () => {
  const sums = await sentBy((tx) => findSums(tx, YEAR, '2026-12-31'));
  const hours = await sentBy((tx) => findHourSums(tx, YEAR));
  const read: string[] = [];
  for (const query of [...sums, ...hours]) {
    const scans = (await scansOf(query)).filter((scan) => 'Relation Name' in scan || scan['Node Type'].includes('Index'));
    const tables = [...new Set(scans.flatMap((scan) => scan['Relation Name'] ?? []))].sort().join(' ');
    const conditions = scans.map((scan) => scan['Index Cond'] ?? '').join(' ');
    expect(conditions).toMatch(/clinic_id/);
    // Receivables are summed from the first one on.
    if (tables !== 'analytics_receivable_days' && !tables.includes('doctors')) expect(conditions).toMatch(/date|opened_on/);
    read.push(tables);
  }
  expect(read).toEqual(TABLES);
});
