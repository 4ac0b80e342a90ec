// Starts the product, creates demo clinics with their history until there are `count`, and stops it.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { launch, type Started } from '../launch/launch.ts';
import { oneProcess } from '../launch/one-process.ts';
import { StartFault } from '../start-fault.ts';
import { furtherClinic } from './clinic.ts';
import { seedClinic, seedDemo } from './create.ts';
import { fillHistory } from './history.ts';

export const seedClinics = (count: number): Promise<void> => launch(oneProcess, (started) => seed(started, count));

async function seed({ transport, dataDir, password, phoneUrl, authorityUrl, print }: Started, count: number): Promise<void> {
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
