// Finds patients by name, phone or DUI. Under row-level security no index serves LIKE (docs/decisions/row-level-security.md), so the
// ids are found as the system, by statements that name the clinic; the rows themselves are read as the clinic.
import { type Db, readSystem, readTenant, sql } from '@clinic/lib/db/db.ts';
import type { PatientSearch } from '../patient-search-rules.ts';
import { columnsOf, type PatientRow } from './patients.sql.ts';

type Found = { total: number; ids: string[] };

/** Larger totals are cut, since counting takes long. */
const MAX_COUNTED = 10_000;
const ACTIVE = 'from patients where clinic_id = $1 and archived_at is null';
const PAGE = 'order by search_name, id limit $2 offset $3';

// Up to MAX_COUNTED matches are fetched and sorted. Of more, the page is read in the order of the index on names; there `is true`
// keeps the planner from an index that would collect all matches first.
const countedPage = (matches: string, filter: string) =>
  sql<Found>(`
  with matching as materialized (${matches} limit ${MAX_COUNTED + 1})
  select least(counted.n, ${MAX_COUNTED})::int as total,
    case when counted.n > ${MAX_COUNTED} then array(select id ${ACTIVE} and (${filter}) is true ${PAGE}) else array(select id from matching ${PAGE}) end as ids
  from (select count(*) as n from matching) counted`);
const matching = (filter: string) => `select id, search_name ${ACTIVE} and ${filter}`;

// $4 pattern, $5 blind indexes.
const statements = {
  all: sql<Found>(`select (select count(*)::int ${ACTIVE}) as total, array(select id ${ACTIVE} ${PAGE}) as ids`),
  name: countedPage(matching('search_name like $4'), 'search_name like $4'),
  phone: countedPage(matching('phone like $4'), 'phone like $4'),
  dui: countedPage(`(${matching('phone like $4')} union ${matching('dui_index = any($5)')})`, 'phone like $4 or dui_index = any($5)'),
};

/** `duiIndexes` are those of the DUI that is searched. Also run by benchmarks. */
export function patientSearchQuery(clinicId: string, search: PatientSearch, duiIndexes: Buffer[], limit: number, offset: number) {
  const values: unknown[] = [clinicId, limit, offset];
  if (search.kind !== 'all') values.push(search.pattern);
  if (search.kind === 'dui') values.push(duiIndexes);
  return { statement: statements[search.kind], values };
}

const listStatement = sql<PatientRow>(`
  select ${columnsOf('patients')} from patients where clinic_id = $1 and id = any($2) order by search_name, id`);

/** A page of active patients by name, and the number of all matches. */
export async function searchPatients(db: Db, clinicId: string, search: PatientSearch, duiIndexes: Buffer[], limit: number, offset: number) {
  const { statement, values } = patientSearchQuery(clinicId, search, duiIndexes, limit, offset);
  const [found] = await readSystem(db, statement, values);
  const rows = found?.ids.length ? await readTenant(db, clinicId, listStatement, [clinicId, found.ids]) : [];
  return { rows, total: found?.total ?? 0 };
}
