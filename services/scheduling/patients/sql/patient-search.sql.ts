// Finds patients by name, phone or DUI. Under row-level security no index serves LIKE (docs/decisions/row-level-security.md), so the
// ids are found as the system, by statements that name the clinic; the rows themselves are read as the clinic.
import { type Db, readSystem, readTenant, sql } from '@clinic/lib/db/db.ts';
import type { PatientSearch } from '../patient-search-rules.ts';
import { columnsOf, ONLY_CLAIMED, type PatientRow } from './patients.sql.ts';

type Found = { total: number; ids: string[] };

/** Larger totals are capped, since counting takes long. */
const MAX_COUNTED = 10_000;
const PAGE = 'order by search_name, id limit $2 offset $3';

// $4 is a pattern, $5 a pattern or the blind indexes of a DUI, $6 more patterns. The array of merged records is read once, before the patients.
const PHONE = `phone like $4 or id = any(array(
  select merged_into from patients where clinic_id = $1 and archived_at is not null and merged_into is not null and phone like $4))`;
const FILTERS = { name: 'search_name like $4 and search_name like $5 and search_name like all($6)', phone: PHONE, dui: `${PHONE} or dui_index = any($5)` };

function statementsOn(scope: string) {
  const from = `from patients where clinic_id = $1 and ${scope}`;
  // Up to MAX_COUNTED matches are collected and sorted. With more, the page is read in the order of the index on names: `case` hides the
  // condition from the planner, which assumes that half of all rows match and does not collect the matches by another index first.
  const countedPage = (filter: string) =>
    sql<Found>(`
  with matching as materialized (select id, search_name ${from} and (${filter}) limit ${MAX_COUNTED + 1})
  select least(counted.n, ${MAX_COUNTED})::int as total,
    case when counted.n > ${MAX_COUNTED} then array(select id ${from} and case when ${filter} then true end ${PAGE}) else array(select id from matching ${PAGE}) end as ids
  from (select count(*) as n from matching) counted`);
  return {
    all: sql<Found>(`select (select count(*)::int ${from}) as total, array(select id ${from} ${PAGE}) as ids`),
    name: countedPage(FILTERS.name),
    phone: countedPage(FILTERS.phone),
    dui: countedPage(FILTERS.dui),
  };
}
const ACTIVE = statementsOn('archived_at is null');
const ARCHIVED = statementsOn(`archived_at is not null and erased_at is null and not (${ONLY_CLAIMED})`);

type Scope = { archived: boolean; limit: number; offset: number };
type Search = Exclude<PatientSearch, { kind: 'none' }>;

/** `duiIndexes` are the blind indexes of a DUI in `search`. Also run by benchmarks. */
export function patientSearchQuery(clinicId: string, search: Search, duiIndexes: Buffer[], { archived, limit, offset }: Scope) {
  return { statement: (archived ? ARCHIVED : ACTIVE)[search.kind], values: [clinicId, limit, offset, ...valuesOf(search, duiIndexes)] };
}

function valuesOf(search: Search, duiIndexes: Buffer[]): unknown[] {
  if (search.kind === 'all') return [];
  if (search.kind === 'phone') return [search.pattern];
  if (search.kind === 'dui') return [search.pattern, duiIndexes];
  const [longest, second = longest, ...others] = search.patterns;
  return [longest, second, others];
}

const listStatement = sql<PatientRow>(`
  select ${columnsOf('patients')} from patients where clinic_id = $1 and id = any($2) order by search_name, id`);

/** A page of active or archived patients by name, and the number of all matches. */
export async function searchPatients(db: Db, clinicId: string, search: PatientSearch, duiIndexes: Buffer[], scope: Scope) {
  if (search.kind === 'none') return { rows: [], total: 0 };
  const { statement, values } = patientSearchQuery(clinicId, search, duiIndexes, scope);
  const [found] = await readSystem(db, statement, values);
  const rows = found?.ids.length ? await readTenant(db, clinicId, listStatement, [clinicId, found.ids]) : [];
  return { rows, total: found?.total ?? 0 };
}
