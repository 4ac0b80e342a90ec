// Finds patients by name, phone or DUI. Under row-level security no index serves LIKE (docs/decisions/row-level-security.md),
// so ids are found as the system, by statements that name the clinic, and nothing but ids: the rows are read as the clinic.
import { sql } from '@clinic/lib/db/db.ts';
import { columnsOf, type PatientRow } from './patients.sql.ts';

type Found = { total: number; ids: string[] };

/** Nobody turns the pages of more matches, and counting them takes long. */
const MOST_COUNTED = 10_000;
const ACTIVE = 'from patients where clinic_id = $1 and archived_at is null';
const PAGE = 'order by search_name, id limit $2 offset $3';

// Few matches are all fetched and then put in order. Of many the first are the first that the names' own order meets; there
// `is true` keeps the planner from collecting them all.
const found = (matches: string, filter: string) =>
  sql<Found>(`
  with matching as materialized (${matches} limit ${MOST_COUNTED + 1})
  select least(counted.n, ${MOST_COUNTED})::int as total,
    case when counted.n > ${MOST_COUNTED} then array(select id ${ACTIVE} and (${filter}) is true ${PAGE}) else array(select id from matching ${PAGE}) end as ids
  from (select count(*) as n from matching) counted`);
const matching = (filter: string) => `select id, search_name ${ACTIVE} and ${filter}`;

/** A page of ids by name, and how many there are: $1 clinic, $2 limit, $3 offset, $4 pattern, $5 blind indexes. For the system only. */
export const findPatientIdsStatements = {
  all: sql<Found>(`select (select count(*)::int ${ACTIVE}) as total, array(select id ${ACTIVE} ${PAGE}) as ids`),
  name: found(matching('search_name like $4'), 'search_name like $4'),
  phone: found(matching('phone like $4'), 'phone like $4'),
  dui: found(`(${matching('phone like $4')} union ${matching('dui_index = any($5)')})`, 'phone like $4 or dui_index = any($5)'),
};

/** $1 clinic, $2 ids: by name. */
export const listPatientsStatement = sql<PatientRow>(`
  select ${columnsOf('patients')} from patients where clinic_id = $1 and id = any($2) order by search_name, id`);
