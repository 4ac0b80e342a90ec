// A page of a list of one clinic and the total number of matches, in one round trip.
import { type Db, readTenant, type Statement } from './db.ts';

/**
 * The statement counts all matches and joins the page to the count, so that an empty page still has its total:
 * `select counted.total, page.* from (select count(*)::int as total …) counted left join lateral (select id, … limit … offset …) page on true`.
 */
export async function readPage<Row extends { id: string; total: number }>(db: Db, clinicId: string, statement: Statement<Row>, values: unknown[]) {
  return toPage(await readTenant(db, clinicId, statement, values));
}

/** The rows of such a statement. */
export const toPage = <Row extends { id: string; total: number }>(matches: Row[]) => ({
  rows: matches.filter(({ id }) => id !== null),
  total: matches[0]?.total ?? 0,
});
