// Entries of dental charts. Rows are only added. They are numbered while the patient's row in `charts` is locked.
import { type Db, execute, getRow, readTenant, row, rows, sql, type TenantTx, type Tx } from '@clinic/lib/db/db.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import { type Entry, foldChart } from '../rules/chart.ts';
import type { FindingStatus } from '../rules/findings.ts';
import type { Dentition, Surface } from '../rules/teeth.ts';

type EntryRow = {
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

const listStatement = sql<EntryRow>(`
  select ${COLUMNS} from chart_entries
  where clinic_id = $1 and patient_id = $2 and ($3::timestamptz is null or created_at <= $3)
    and ($4::uuid is null or number <= (select number from chart_entries where clinic_id = $1 and patient_id = $2 and id = $4)) order by number`);

/** The chart of a patient as of an instant, or the current chart. */
export const findChartAsOf = async (db: Db, clinicId: string, patientId: string, asOf: Date | undefined) =>
  foldChart((await readTenant(db, clinicId, listStatement, [clinicId, patientId, asOf ?? null, null])).map(toEntry));

/** The chart of a patient right after an entry, or the current chart. */
export const findChart = async (tx: Tx, clinicId: string, patientId: string, afterEntry?: string) =>
  foldChart((await rows(tx, listStatement, [clinicId, patientId, null, afterEntry ?? null])).map(toEntry));

const findPatientStatement = sql<{ patient_id: string }>('select patient_id from chart_entries where clinic_id = $1 and id = $2');

/** The patient to whom an entry belongs now; undefined after an erasure. */
export const findPatientOfEntry = async (tx: TenantTx, id: string) => (await row(tx, findPatientStatement, [tx.clinicId, id]))?.patient_id;

// Check constraints of the table ensure that each kind of entry has its fields.
const toEntry = (entry: EntryRow) => ({ ...entry, createdAt: entry.created_at }) as unknown as Entry;

// The upsert inserts or rewrites the patient's row, and thereby locks it: a concurrent transaction waits and then sees the new entries.
const lockStatement = sql(`
  insert into charts (clinic_id, patient_id, last_number) values ($1, $2, 0)
  on conflict (clinic_id, patient_id) do update set last_number = charts.last_number`);

/** Until the transaction ends, no other transaction adds entries to this chart. */
export const lockChart = (tx: Tx, clinicId: string, patientId: string) => execute(tx, lockStatement, [clinicId, patientId]);

const findStatement = sql<EntryRow>(`select ${COLUMNS} from chart_entries where clinic_id = $1 and patient_id = $2 and id = $3`);

export const findEntry = (tx: TenantTx, patientId: string, id: string) => row(tx, findStatement, [tx.clinicId, patientId, id]);

const findLastCorrectionStatement = sql<Pick<EntryRow, 'id' | 'kind'>>(`
  with recursive corrections as (
    select id, kind, patient_id, 0 as depth from chart_entries where clinic_id = $1 and id = $2
    union all
    select later.id, later.kind, later.patient_id, depth + 1
    from corrections join chart_entries later on later.clinic_id = $1 and later.patient_id = corrections.patient_id and later.replaces = corrections.id
  )
  select id, kind from corrections order by depth desc limit 1`);

/** The entry that counts in place of an entry: the last one of its corrections, or the entry itself. Entries are never deleted while a step refers to them. */
export const getLastCorrection = (tx: Tx, clinicId: string, id: string) => getRow(tx, findLastCorrectionStatement, [clinicId, id]);

const nextNumberStatement = sql<{ last_number: number }>(`
  insert into charts as c (clinic_id, patient_id, last_number) values ($1, $2, 1)
  on conflict (clinic_id, patient_id) do update set last_number = c.last_number + 1
  returning last_number`);
// A second statement, because its snapshot includes the entries of the transaction that the first one waited for. So created_at never
// decreases within a chart, and the chart as of an instant is always one that was current at that time.
const insertStatement = sql(`
  insert into chart_entries (clinic_id, patient_id, number, id, kind, teeth, pontics, finding, surfaces, status, dentition, notes, replaces, recorded_by, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
    greatest($15::timestamptz, (select max(created_at) from chart_entries where clinic_id = $1 and patient_id = $2)))`);

export type NewEntry = Omit<EntryRow, 'number'>;

/** Violates the constraint chart_entries_replaced_once when the entry in `replaces` has already been corrected. */
export async function insertEntry(tx: Tx, clinicId: string, patientId: string, entry: NewEntry): Promise<void> {
  const { last_number } = await getRow(tx, nextNumberStatement, [clinicId, patientId]);
  const { id, kind, teeth, pontics, finding, surfaces, status, dentition, notes, replaces, recorded_by, created_at } = entry;
  const values = [id, kind, teeth, pontics, finding, surfaces, status, dentition, notes, replaces, recorded_by, created_at];
  await execute(tx, insertStatement, [clinicId, patientId, last_number, ...values]);
}

const historyStatement = sql<EntryRow & { replaced_by: string | null; total: number }>(`
  select counted.total, page.* from (select count(*)::int as total from chart_entries where clinic_id = $1 and patient_id = $2) counted
  left join lateral (
    select ${COLUMNS}, (select later.id from chart_entries later where later.clinic_id = $1 and later.patient_id = $2 and later.replaces = e.id) as replaced_by
    from chart_entries e where clinic_id = $1 and patient_id = $2 order by number desc limit $3 offset $4
  ) page on true`);

/** A page of a patient's entries, newest first, including corrected and voided ones. */
export const listHistory = (db: Db, clinicId: string, patientId: string, limit: number, offset: number) =>
  readPage(db, clinicId, historyStatement, [clinicId, patientId, limit, offset]);
