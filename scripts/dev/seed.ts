// `npm run seed`: creates many demo clinics with their history, for trying the product at scale.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { parseOptions, wholeNumber } from '../help.ts';
import { furtherClinic } from './demo/clinic.ts';
import { seedClinic, seedDemo } from './demo/create.ts';
import { fillHistory } from './demo/history.ts';
import { launch, type Started } from './launch/launch.ts';
import { oneProcess } from './launch/one-process.ts';
import { StartFault } from './start-fault.ts';

const MAX = 500;
const USAGE = `Usage: [SETTING=value …] npm run seed -- --clinics 50

Starts the product as npm start does, creates demo clinics until there are that many (1 to ${MAX}), and stops it. Each clinic has doctors,
patients, a week of appointments and sixty days of history; only the first also has tax documents and conversations. Their sign-ins are printed.
Progress is recorded in DATA_DIR (.data by default), so that an interrupted run continues where it stopped.`;

const { values } = parseOptions({ options: { clinics: { type: 'string' } } }, USAGE);
const count = wholeNumber('--clinics', values.clinics, [1, MAX], USAGE);
await launch(oneProcess, seed);

async function seed({ transport, dataDir, password, phoneUrl, authorityUrl, print }: Started): Promise<void> {
  const { signal } = new AbortController();
  const quiet = () => undefined;
  for (let number = 1; number <= count; number++) {
    const started = performance.now();
    const folder = number === 1 ? dataDir : path.join(dataDir, 'clinics', String(number));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const options = { transport, dataDir: folder, password, print: quiet };
    const clinic = await (number === 1 ? seedDemo(options) : seedClinic(options, furtherClinic(number)));
    if (!clinic) throw new StartFault('The database contains clinics that are not demo clinics: set DATA_DIR or DATABASE_URL to another database');
    const simulated = number === 1 ? { phoneUrl, authorityUrl } : { phoneUrl: undefined, authorityUrl: undefined };
    await fillHistory({ transport, dataDir: folder, ...simulated }, signal);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    print(`clinic ${number} of ${count}: ${clinic.email} ${clinic.password} (${seconds} s)`);
  }
}
