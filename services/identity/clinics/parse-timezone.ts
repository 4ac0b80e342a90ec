// Parses the name of a time zone. The runtime knows names that are no longer in the time zone database, for example US/Pacific-New.
// PostgreSQL does not, and statements that compute in the zones of all clinics would fail for all of them.
import { type Db, readSystem, sql } from '@clinic/lib/db/db.ts';
import { invalid } from '@clinic/lib/errors/errors.ts';
import { isTimezone } from './timezone-rules.ts';

// set_config() returns the name with its official spelling, and sets the zone of this transaction only.
const findNameStatement = sql<{ name: string | null }>(
  "select case when pg_input_is_valid('2000-01-01 00:00 ' || $1, 'timestamptz') then set_config('TimeZone', $1, true) end as name",
);

/**
 * The name as the database spells it: names are not case-sensitive. Throws VALIDATION_ERROR for a name that the runtime or the database does not
 * know. As the system: a time zone belongs to no clinic.
 */
export async function parseTimezone(db: Db, timezone: string): Promise<string> {
  const name = isTimezone(timezone) && (await readSystem(db, findNameStatement, [timezone]))[0]?.name;
  return name || invalid('timezone', 'must be an IANA time zone, for example America/El_Salvador');
}
