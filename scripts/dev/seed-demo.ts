// `node scripts/run.js seed-demo`: creates the demo clinic in a product that is already running, for the profile `demo` of deploy/compose.yaml.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readSettings, SettingsError } from '@clinic/lib/config/config.ts';
import { addressSetting, addressSettings } from '@clinic/lib/runtime/main.ts';
import { z } from 'zod';
import { parseOptions } from '../help.ts';
import { seedDemo } from './demo/create.ts';
import { gatewayTransports } from './seed-transports.ts';

const SERVICES = ['identity', 'platform', 'scheduling'];

const USAGE = `Usage: CALL_KEYS=… ASSERTION_KEYS=… TLS_CA=… TLS_CERT=… TLS_KEY=… IDENTITY_ADDRESS=… PLATFORM_ADDRESS=… SCHEDULING_ADDRESS=… node scripts/run.js seed-demo

Creates the demo clinic with doctors, patients and a week of appointments, and prints its sign-in. Does nothing when the product already
has clinics. It acts as the gateway and needs the gateway's keys and certificate. DEMO_PASSWORD sets the password, of at least 8 characters; by
default a random one is generated.`;

parseOptions({ options: {} }, USAGE);
try {
  const settings = readSettings({ DEMO_PASSWORD: z.string().min(8).optional() }, process.env);
  const addresses = readSettings(addressSettings(SERVICES), process.env);
  const { transport, close } = gatewayTransports((name) => addresses[addressSetting(name)] ?? '', process.env);
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'clinic-demo-'));
  const demo = await seedDemo({ transport, dataDir, password: settings.DEMO_PASSWORD, print: console.log });
  rmSync(dataDir, { recursive: true }); // demo.json there has the password
  console.log(demo ? `sign-in: ${demo.email} ${demo.password}` : 'The product already has clinics: nothing was created.');
  close();
} catch (error) {
  console.error(error instanceof SettingsError ? error.message : error);
  process.exit(1);
}
