// `npm run seed`: many demo clinics with their history, for those who try the product large.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { misused, parseOptions } from '../help.ts';
import { furtherClinic } from './demo/clinic.ts';
import { seedClinic, seedDemo } from './demo/create.ts';
import { fillHistory } from './demo/history.ts';
import { launch, type Started } from './launch/launch.ts';
import { oneProcess } from './launch/one-process.ts';
import { StartFault } from './start-fault.ts';

const MAX = 500;
const USAGE = `Usage: [SETTING=value …] npm run seed -- --clinics 50

Starts the product as npm start does, creates clinics until there are that many (1 to ${MAX}), each with doctors, patients, a week of
appointments and sixty days of history, and stops it. Progress is recorded in DATA_DIR (.data by default): an interrupted run goes on
where it was. The sign-in of each is printed. Only the first clinic has tax documents and conversations.`;

const { values } = parseOptions({ options: { clinics: { type: 'string' } } }, USAGE);
const count = Number(values.clinics);
if (!Number.isInteger(count) || count < 1 || count > MAX) misused(`--clinics must be a number from 1 to ${MAX}`, USAGE);
await launch(oneProcess, seed);

async function seed({ transport, dataDir, password, phoneUrl, authorityUrl, say }: Started): Promise<void> {
  const { signal } = new AbortController();
  const quiet = () => undefined;
  for (let number = 1; number <= count; number++) {
    const started = performance.now();
    const folder = number === 1 ? dataDir : path.join(dataDir, 'clinics', String(number));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const options = { transport, dataDir: folder, password, say: quiet };
    const clinic = await (number === 1 ? seedDemo(options) : seedClinic(options, furtherClinic(number)));
    if (!clinic) throw new StartFault('The database has clinics that are no demo: set DATA_DIR or DATABASE_URL to another one');
    const simulated = number === 1 ? { phoneUrl, authorityUrl } : { phoneUrl: undefined, authorityUrl: undefined };
    await fillHistory({ transport, dataDir: folder, ...simulated }, signal);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    say(`clinic ${number} of ${count}: ${clinic.email} ${clinic.password} (${seconds} s)`);
  }
}
