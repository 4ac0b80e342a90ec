// Parses the name of a time zone. The runtime knows names that are no longer in the time zone database, for example US/Pacific-New.
// PostgreSQL does not, and statements that compute in the zones of all clinics would fail for all of them.
import { type Db, readSystem, sql } from '@clinic/lib/db/db.ts';
import { invalid } from '@clinic/lib/errors/errors.ts';
import { isTimezone } from './timezone-rules.ts';

const isKnownStatement = sql<{ known: boolean }>("select pg_input_is_valid('2000-01-01 00:00 ' || $1, 'timestamptz') as known");

/** Throws VALIDATION_ERROR for a name that the runtime or the database does not know. As the system: a time zone belongs to no clinic. */
export async function parseTimezone(db: Db, timezone: string): Promise<string> {
  const isKnown = isTimezone(timezone) && (await readSystem(db, isKnownStatement, [timezone]))[0]?.known;
  return isKnown ? timezone : invalid('timezone', 'must be an IANA time zone, for example America/El_Salvador');
}
