// Entries of charts: only ever added, numbered by patient under the lock of the chart's row.
import { execute, row, rows, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { type Chart, type Entry, foldChart, type ToothFinding } from '../rules/chart.ts';
import type { FindingStatus } from '../rules/findings.ts';
import type { Dentition, Surface } from '../rules/teeth.ts';

export type EntryRow = {
  id: string;
  number: number;
  kind: 'finding' | 'void' | 'dentition';
  teeth: number[];
  pontics: number[];
  finding: string | null;
  surfaces: Surface[];
  status: FindingStatus | null;
  dentition: Dentition | 'auto' | null;
  notes: string | null;
  replaces: string | null;
  recorded_by: string;
  created_at: Date;
};

const COLUMNS = 'id, number, kind, teeth, pontics, finding, surfaces, status, dentition, notes, replaces, recorded_by, created_at';

/** $1 clinic, $2 patient, $3 instant or null: entries up to then, in order. */
export const listEntriesStatement = sql<EntryRow>(`
  select ${COLUMNS} from chart_entries
  where clinic_id = $1 and patient_id = $2 and ($3::timestamptz is null or created_at <= $3) order by number`);

/** The entry as the rules read it. */
export function toEntry(entry: EntryRow): Entry {
  return { ...entry, createdAt: entry.created_at } as unknown as Entry; // the table's checks keep the fields of each kind together
}

export async function findChart(tx: TenantTx, patientId: string): Promise<Chart> {
  return foldChart((await rows(tx, listEntriesStatement, [tx.clinicId, patientId, null])).map(toEntry));
}

/** The findings of a patient as they stand, by tooth. `untreatedFindings` of rules/untreated.ts picks those to be treated. */
export async function listCurrentFindings(tx: TenantTx, patientId: string): Promise<ToothFinding[]> {
  return (await findChart(tx, patientId)).findings;
}

// The row that is made or touched is the lock: whoever comes second waits and then sees the entries of the first.
const lockStatement = sql(`
  insert into charts (clinic_id, patient_id, last_number) values ($1, $2, 0)
  on conflict (clinic_id, patient_id) do update set last_number = charts.last_number`);

/** Until the transaction ends nobody else adds to this chart. */
export async function lockChart(tx: TenantTx, patientId: string): Promise<void> {
  await execute(tx, lockStatement, [tx.clinicId, patientId]);
}

const nextNumberStatement = sql<{ last_number: number }>(`
  insert into charts as c (clinic_id, patient_id, last_number) values ($1, $2, 1)
  on conflict (clinic_id, patient_id) do update set last_number = c.last_number + 1
  returning last_number`);
const findStatement = sql<EntryRow>(`select ${COLUMNS} from chart_entries where clinic_id = $1 and patient_id = $2 and id = $3`);
// Time never runs backwards within a chart, so that a chart as of an instant is always one that once stood.
const insertStatement = sql(`
  insert into chart_entries (clinic_id, patient_id, number, id, kind, teeth, pontics, finding, surfaces, status, dentition, notes, replaces, recorded_by, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
    greatest($15::timestamptz, (select max(created_at) from chart_entries where clinic_id = $1 and patient_id = $2)))`);

export function findEntry(tx: TenantTx, patientId: string, id: string): Promise<EntryRow | undefined> {
  return row(tx, findStatement, [tx.clinicId, patientId, id]);
}

export type NewEntry = Omit<EntryRow, 'number'>;

/** Breaks the constraint chart_entries_replaced_once when the entry that it corrects was corrected before. */
export async function insertEntry(tx: TenantTx, patientId: string, entry: NewEntry): Promise<void> {
  const numbered = await row(tx, nextNumberStatement, [tx.clinicId, patientId]);
  const { last_number } = numbered as { last_number: number }; // an upsert always returns its row
  const { id, kind, teeth, pontics, finding, surfaces, status, dentition, notes, replaces, recorded_by, created_at } = entry;
  const values = [id, kind, teeth, pontics, finding, surfaces, status, dentition, notes, replaces, recorded_by, created_at];
  await execute(tx, insertStatement, [tx.clinicId, patientId, last_number, ...values]);
}

export type HistoryRow = EntryRow & { replaced_by: string | null };

/** $1 clinic, $2 patient, $3 limit, $4 offset: the newest first. Always yields a row, which carries the total. */
export const listHistoryStatement = sql<HistoryRow & { total: number }>(`
  select counted.total, page.* from (select count(*)::int as total from chart_entries where clinic_id = $1 and patient_id = $2) counted
  left join lateral (
    select ${COLUMNS}, (select later.id from chart_entries later where later.clinic_id = $1 and later.patient_id = $2 and later.replaces = e.id) as replaced_by
    from chart_entries e where clinic_id = $1 and patient_id = $2 order by number desc limit $3 offset $4
  ) page on true`);
