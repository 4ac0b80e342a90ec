// Whether a database has the schema of this release.
import { type Db, readSystem, sql } from './db.ts';
import { migrationNames } from './migrate.ts';

const appliedMigrations = sql<{ name: string }>('select name from migrations');

/** The migrations of this release that the schema lacks. A schema of a later release lacks none. */
export async function missingMigrations(db: Db, folder: string): Promise<string[]> {
  // As the system, because the schema belongs to no clinic.
  const applied = new Set((await readSystem(db, appliedMigrations, [])).map(({ name }) => name));
  return (await migrationNames(folder)).filter((name) => !applied.has(name));
}
