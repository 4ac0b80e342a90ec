// `node scripts/run.js seed-demo`: the demo clinic of a product whose processes already run, for compose's profile `demo`.
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readSettings, SettingsError } from '@clinic/lib/config/config.ts';
import { addressSetting, addressSettings } from '@clinic/lib/runtime/main.ts';
import { z } from 'zod';
import { helpOn } from '../help.ts';
import { seedDemo } from './demo/create.ts';
import { gatewayTransports } from './seed-transports.ts';

const SERVICES = ['identity', 'platform', 'scheduling'];

helpOn(`Usage: CALL_KEYS=… ASSERTION_KEYS=… TLS_CA=… TLS_CERT=… TLS_KEY=… IDENTITY_ADDRESS=… PLATFORM_ADDRESS=… SCHEDULING_ADDRESS=… node scripts/run.js seed-demo

Creates the demo clinic with doctors, patients and a week of appointments, and prints its sign-in. Does nothing when the product
has clinics already. It acts as the gateway and needs its keys and certificate. DEMO_PASSWORD sets the password; without it a random one is generated.`);
try {
  const settings = readSettings({ DEMO_PASSWORD: z.string().min(8).optional() }, process.env);
  const addresses = readSettings(addressSettings(SERVICES), process.env);
  const { transport, close } = gatewayTransports((name) => addresses[addressSetting(name)] ?? '', process.env);
  const demo = await seedDemo({
    transport,
    dataDir: mkdtempSync(path.join(os.tmpdir(), 'clinic-demo-')),
    password: settings.DEMO_PASSWORD,
    say: console.log,
  });
  console.log(demo ? `sign-in: ${demo.email} ${demo.password}` : 'There are clinics already: nothing was created.');
  close();
} catch (error) {
  console.error(error instanceof SettingsError ? error.message : error);
  process.exit(1);
}
