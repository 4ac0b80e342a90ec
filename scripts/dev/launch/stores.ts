// Starts the stores of the services, PostgreSQL and NATS, each embedded unless its URL is configured, and migrates the database.
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import { migrate } from '@clinic/lib/db/migrate.ts';
import { counted } from '@clinic/lib/formats/counted.ts';
import { untilAvailable } from '@clinic/lib/runtime/until-available.ts';
import { query } from '../../database.ts';
import { schemaSources } from '../../schemas.ts';
import { startNats } from '../embedded/nats.ts';
import { startPostgres } from '../embedded/postgres.ts';
import { StartFault } from '../start-fault.ts';

export type Stores = { ownerUrl: string; natsUrl: (user: string) => string };

type Options = { dataDir: string; env: NodeJS.ProcessEnv; startSeconds: number; running: Stoppable[]; print: (line: string) => void };

/** Starts both concurrently, adds each embedded one to `running`, and migrates every schema. */
export async function startStores({ dataDir, env, startSeconds, running, print }: Options): Promise<Stores> {
  const [database, nats] = await Promise.allSettled([
    env.DATABASE_URL ? { url: env.DATABASE_URL } : startPostgres({ dataDir, startSeconds, print }),
    env.NATS_URL ? { urlOf: () => env.NATS_URL as string } : startNats({ dataDir, startSeconds, print }),
  ]);
  for (const store of [database, nats]) if (store.status === 'fulfilled' && 'stop' in store.value) running.push(store.value);
  if (database.status === 'rejected') throw database.reason;
  if (nats.status === 'rejected') throw nats.reason;
  const ownerUrl = database.value.url;
  if (env.DATABASE_URL) await checkDatabase(ownerUrl);
  const applied = await untilAvailable(startSeconds, () => migrate(ownerUrl, schemaSources()));
  if (applied.length > 0) print(`migrated: ${counted(applied.length, 'file')}`);
  return { ownerUrl, natsUrl: nats.value.urlOf };
}

async function checkDatabase(ownerUrl: string): Promise<void> {
  const { host, pathname } = new URL(ownerUrl);
  await query(ownerUrl, 'select 1', [], { connectionTimeoutMillis: 10_000 }).catch((error: Error) => {
    throw new StartFault(`The database ${pathname.slice(1)} of DATABASE_URL at ${host} cannot be used: ${error.message}`);
  });
}
