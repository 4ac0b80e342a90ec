// Starts the stores of the services: PostgreSQL, migrated, and NATS; each embedded unless a URL is configured.

import type { Stoppable } from '@clinic/lib/background/stop.ts';
import { migrate } from '@clinic/lib/db/migrate.ts';
import { untilAvailable } from '@clinic/lib/runtime/until-available.ts';
import { query } from '../../database.ts';
import { schemaSources } from '../../schemas.ts';
import { startNats } from '../embedded/nats.ts';
import { startPostgres } from '../embedded/postgres.ts';
import { StartFault } from '../start-fault.ts';

export type Stores = { ownerUrl: string; natsUrl: (user: string) => string };

type Options = { dataDir: string; env: NodeJS.ProcessEnv; startSeconds: number; running: Stoppable[]; say: (line: string) => void };

/** Starts both at once, pushing each that runs onto `running`, and migrates every schema. */
export async function startStores({ dataDir, env, startSeconds, running, say }: Options): Promise<Stores> {
  const [database, nats] = await Promise.allSettled([
    env.DATABASE_URL ? { url: env.DATABASE_URL } : startPostgres({ dataDir, startSeconds, say }),
    env.NATS_URL ? { urlOf: () => env.NATS_URL as string } : startNats({ dataDir, startSeconds, say }),
  ]);
  for (const store of [database, nats]) if (store.status === 'fulfilled' && 'stop' in store.value) running.push(store.value);
  if (database.status === 'rejected') throw database.reason;
  if (nats.status === 'rejected') throw nats.reason;
  const ownerUrl = database.value.url;
  if (env.DATABASE_URL) await checkDatabase(ownerUrl);
  const applied = await untilAvailable(startSeconds, () => migrate(ownerUrl, schemaSources()));
  if (applied.length > 0) say(`migrated: ${applied.length} files`);
  return { ownerUrl, natsUrl: nats.value.urlOf };
}

async function checkDatabase(ownerUrl: string): Promise<void> {
  const { host, pathname } = new URL(ownerUrl);
  const asked = query<{ version: number }>(ownerUrl, `select current_setting('server_version_num')::int as version`, [], { connectionTimeoutMillis: 10_000 });
  const [found] = await asked.catch((error: Error) => {
    throw new StartFault(`The database ${pathname.slice(1)} of DATABASE_URL at ${host} cannot be used: ${error.message}`);
  });
  if ((found?.version ?? 0) < 160_000) throw new StartFault('The PostgreSQL of DATABASE_URL is older than 16: use a newer one');
}
