// The current names, some of them from a temporary database with all migrations.
import { migrate } from '@clinic/lib/db/migrate.ts';
import { startPostgres } from '../../dev/embedded/postgres.ts';
import { inTempFolder } from '../../dev/temp-folder.ts';
import { PROJECT, schemaSources } from '../../schemas.ts';
import { botNames } from './bot.ts';
import { databaseNames } from './database.ts';
import type { Names } from './names.ts';
import { publicNames } from './public-api.ts';
import { serviceNames } from './services.ts';
import { sourceNames } from './sources.ts';

export async function currentNames(): Promise<Names> {
  return inTempFolder('names', async (dataDir) => {
    const database = await startPostgres({ dataDir, fleeting: true });
    try {
      await migrate(database.url, schemaSources());
      const inDatabase = { ...(await databaseNames(database.url)), ...(await serviceNames(database.url, dataDir)) };
      return { ...inDatabase, ...publicNames(), ...botNames(), ...sourceNames(PROJECT) };
    } finally {
      await database.stop();
    }
  });
}
