// Compares the schema of a database with this release.
import { NO_CLINIC } from '../formats/uuid.ts';
import { type Db, readSystem, readTenant, sql } from './db.ts';
import { migrationNames } from './migrate.ts';

const appliedMigrations = sql<{ name: string }>('select name from migrations');

/** The migrations of this release that the schema lacks; a schema of a later release lacks none. Throws when one of the service's logins fails. */
export async function missingMigrations(db: Db, folder: string): Promise<string[]> {
  const [found] = await Promise.all([readTenant(db, NO_CLINIC, appliedMigrations, []), readSystem(db, appliedMigrations, [])]);
  const applied = new Set(found.map(({ name }) => name));
  return (await migrationNames(folder)).filter((name) => !applied.has(name));
}
