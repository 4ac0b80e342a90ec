// `node scripts/run.js seed-demo`: the demo clinic of a product whose processes already run, for compose's profile `demo`.
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { commonSettings, readSettings, SettingsError } from '@clinic/lib/config/config.ts';
import { grpcTransport } from '@clinic/lib/rpc/grpc-client.ts';
import { addressSetting, addressSettings } from '@clinic/lib/runtime/main.ts';
import { z } from 'zod';
import { helpOn } from '../help.ts';
import { seedDemo } from './seed.ts';

const SERVICES = ['identity', 'platform', 'scheduling'];

helpOn(`Usage: INTERNAL_KEYS=… IDENTITY_ADDRESS=… PLATFORM_ADDRESS=… SCHEDULING_ADDRESS=… node scripts/run.js seed-demo

Creates the demo clinic with doctors, patients and a week of appointments, and prints its sign-in. Does nothing when the product
has clinics already. DEMO_PASSWORD sets the password; without it a random one is generated.`);
try {
  const own = { INTERNAL_KEYS: commonSettings.INTERNAL_KEYS, DEMO_PASSWORD: z.string().min(8).optional() };
  const settings = readSettings(own, process.env);
  const addresses = readSettings(addressSettings(SERVICES), process.env);
  const transports = new Map(SERVICES.map((name) => [name, grpcTransport(addresses[addressSetting(name)] ?? '', settings.INTERNAL_KEYS)]));
  const demo = await seedDemo({
    transport: (name) => transports.get(name) as ReturnType<typeof grpcTransport>,
    dataDir: mkdtempSync(path.join(os.tmpdir(), 'clinic-demo-')),
    password: settings.DEMO_PASSWORD,
    say: console.log,
  });
  console.log(demo ? `sign-in: ${demo.email} ${demo.password}` : 'There are clinics already: nothing was created.');
  for (const transport of transports.values()) transport.close();
} catch (error) {
  console.error(error instanceof SettingsError ? error.message : error);
  process.exit(1);
}
