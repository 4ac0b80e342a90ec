// `npm run rebuild -- platform`: makes a service's projections anew by asking the services that own the data.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '@clinic/lib/clock.ts';
import { SettingsError } from '@clinic/lib/config.ts';
import { openDb } from '@clinic/lib/db.ts';
import { createLog } from '@clinic/lib/log.ts';
import { addressSetting } from '@clinic/lib/main.ts';
import { roleUrl } from '@clinic/lib/migrate.ts';
import { grpcTransport } from '@clinic/lib/rpc/grpc-client.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { StateService as BillingStateService } from '@clinic/proto/billing/v1/states_pb.js';
import { StateService as IdentityStateService } from '@clinic/proto/identity/v1/states_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { createClient, type Transport } from '@connectrpc/connect';
import { rebuildProjections } from '../services/platform/rebuild.ts';
import { helpOn, misused } from './help.ts';
import { withKeptSecrets } from './launch/secrets.ts';
import { loadModules, readAllSettings } from './launch/settings.ts';
import { PROJECT } from './schemas.ts';

const USAGE = `Usage: npm run rebuild -- platform

Makes the figures of the platform anew: clinics from identity, appointments from scheduling, orders from billing.
It may run while the product serves; the figures are short of what is still to come until it is done.

  --help      this text

The database is that of DATABASE_URL, the owner's, or else the embedded one of DATA_DIR, which must be running.
With IDENTITY_ADDRESS, SCHEDULING_ADDRESS and BILLING_ADDRESS set the services are asked over gRPC; otherwise what
they would answer is read here.`;

const OWNERS = ['identity', 'scheduling', 'billing'];

helpOn(USAGE);
if (process.argv[2] !== 'platform' || process.argv.length !== 3) misused('Only the projections of platform can be rebuilt.', USAGE);
try {
  await rebuild();
} catch (error) {
  console.error(error instanceof SettingsError ? error.message : `The rebuild stopped: ${(error as Error).message}\nRun it again when that is mended.`);
  process.exit(1);
}

async function rebuild(): Promise<void> {
  const dataDir = path.resolve(PROJECT, process.env.DATA_DIR || '.data');
  const ownerUrl = process.env.DATABASE_URL || embeddedUrl(dataDir);
  const env = process.env.NODE_ENV === 'production' ? process.env : withKeptSecrets(process.env, dataDir);
  const modules = await loadModules();
  const settings = readAllSettings(modules, { ...env, DATA_DIR: dataDir });
  const log = createLog('rebuild', 'warn');
  const close: (() => unknown)[] = [];
  const open = (schema: string) => {
    const db = openDb({ url: roleUrl(ownerUrl, schema), schema, max: 2, log });
    close.push(() => db.pool.end());
    return db;
  };
  const transports = new Map<string, Transport>();
  const neighbour = (name: string): Transport => ({
    unary: (...call) => (transports.get(name) as Transport).unary(...call),
    stream: (...call) => (transports.get(name) as Transport).stream(...call),
  });
  for (const name of OWNERS) {
    const address = process.env[addressSetting(name)];
    if (address) {
      const transport = grpcTransport(address, settings.INTERNAL_KEYS);
      close.push(() => transport.close());
      transports.set(name, transport);
      continue;
    }
    const module = modules.find((one) => one.name === name);
    const parts = await module?.create({ settings, db: open(name), clock: systemClock, log, neighbour });
    transports.set(name, localTransport(parts?.implementations ?? []));
  }
  try {
    const owners = {
      identity: createClient(IdentityStateService, neighbour('identity')),
      billing: createClient(BillingStateService, neighbour('billing')),
      scheduling: createClient(LookupService, neighbour('scheduling')),
    };
    await rebuildProjections(open('platform'), owners, (line) => console.log(line));
    console.log('rebuilt');
  } finally {
    for (const end of close) await end();
  }
}

/** Where the embedded PostgreSQL of a data folder listens. */
function embeddedUrl(dataDir: string): string {
  const pid = path.join(dataDir, 'postgres/cluster/postmaster.pid');
  const password = path.join(dataDir, 'postgres/password');
  if (!existsSync(pid) || !existsSync(password))
    misused(`No PostgreSQL runs in ${dataDir}: start the product first, or set DATABASE_URL to the owner's URL.`, USAGE);
  const port = readFileSync(pid, 'utf8').split('\n')[3]?.trim();
  return `postgres://clinic_owner:${readFileSync(password, 'utf8').trim()}@127.0.0.1:${port}/clinic`;
}
