// The dashboard reads sums by day, by index, and nothing that grows with the appointments: so a year of a large clinic takes
// no longer than a year has days.
import { randomUUID } from 'node:crypto';
import type { Statement } from '@clinic/lib/db/db.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { type Scheduling, startScheduling } from '../testing/clinic.ts';
import * as dashboard from './sql/dashboard.sql.ts';

let s: Scheduling;
let client: pg.Client;
beforeAll(async () => {
  s = await startScheduling();
  // As the role of requests, under whose policies plans are made.
  client = new pg.Client({ connectionString: s.service.database.url('scheduling'), options: '-c search_path=scheduling' });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await s.service.stop();
});

type Node = { 'Node Type': string; 'Relation Name'?: string; 'Index Cond'?: string; Plans?: Node[] };

const id = randomUUID();
const year = [id, '2026-01-01', '2026-12-31', '2025-01-01'];

async function scansOf({ text }: Statement<unknown>, values: unknown[]): Promise<Node[]> {
  await client.query('begin');
  try {
    // The tables of a test are so small that reading all of them would be right.
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

test.each([
  ['visits', dashboard.sumVisitsStatement, 'analytics_days', year],
  ['hours', dashboard.sumHoursStatement, 'analytics_hours', year],
  ['patients', dashboard.sumPatientsStatement, 'analytics_patient_days analytics_seen_days', year],
  ['revenue by day', dashboard.sumRevenueByDayStatement, 'analytics_revenue_days', year],
  ['revenue by doctor', dashboard.sumRevenueByDoctorStatement, 'analytics_revenue_days', year],
  ['revenue by procedure', dashboard.sumRevenueByProcedureStatement, 'analytics_procedure_days', year],
  ['documents', dashboard.sumDocumentsByDayStatement, 'analytics_document_days', year],
  ['treatment', dashboard.sumTreatmentsStatement, 'analytics_treatment_days', year],
  ['unscheduled treatment', dashboard.sumUnscheduledStatement, 'analytics_treatments', year],
  ['receivables', dashboard.sumReceivablesStatement, 'analytics_receivable_days', [id, '2026-12-31', '2025-12-31']],
] as [string, Statement<unknown>, string, unknown[]][])('%s come from sums, by clinic and day', async (_, statement, table, values) => {
  const scans = await scansOf(statement, values);
  const tables = scans.filter((scan) => 'Relation Name' in scan || scan['Node Type'].includes('Index'));
  expect(new Set(tables.flatMap((scan) => scan['Relation Name'] ?? []))).toEqual(new Set(table.split(' ')));
  const conditions = tables.map((scan) => scan['Index Cond'] ?? '').join(' ');
  expect(conditions).toMatch(/clinic_id/);
  // Debts are summed from the beginning.
  if (table !== 'analytics_receivable_days') expect(conditions).toMatch(/date|opened_on/);
});

test('chairs are read from doctors and their hours', async () => {
  const scans = await scansOf(dashboard.listChairsStatement, [id, '2026-01-01']);
  const tables = new Set(scans.flatMap((scan) => scan['Relation Name'] ?? []));
  expect([...tables].sort()).toEqual(['analytics_days', 'doctor_breaks', 'doctor_vacations', 'doctor_working_hours', 'doctors']);
});
