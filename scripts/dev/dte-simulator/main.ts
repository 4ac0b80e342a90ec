// The simulated tax authority as a process of its own.
import { parseArgs } from 'node:util';
import { misused } from '../../help.ts';
import { schemaFolder } from './schemas.ts';
import { MOODS, startSimulator } from './server.ts';

const USAGE = `Usage: node scripts/dev/dte-simulator/main.ts [options]

Stands for the tax authority of El Salvador, and for its signer: checks signature, schema and doubles, and seals. Point
DTE_API_BASE_URL (and DTE_SIGNER_URL, to sign there) at the address that it prints. Its page, at that address, shows what
it has and sets its mood; so does POST /simulator {"mood", "lasts", "after", "slowMs"}: that mood for so many calls,
another one after them. POST /simulator/certificates {"nit", "password"} answers a certificate.

  --port     where it listens on loopback (default DTE_SIMULATOR_PORT, else a free one)
  --data     folder to keep what it has (default DTE_SIMULATOR_DATA, else it forgets when it ends)
  --mood     ${MOODS.join(', ')}
             (default answers): slow answers after --slow-ms, away hangs up, lost does its work and then hangs up,
             down answers 503, refuses every document, locked knows no password
  --slow-ms  milliseconds (default 10000)
  --help     this text

Schemas are checked where DTE_SCHEMA_DIR has the official ones, or ../shared/reference/dte beside the project.`;

const TEXT = { type: 'string' } as const;
const { DTE_SIMULATOR_PORT, DTE_SIMULATOR_DATA } = process.env;

const given = read();
if (given.help) {
  console.log(USAGE);
  process.exit(0);
}
const port = whole('--port', given.port ?? DTE_SIMULATOR_PORT ?? '0', 65_535);
const slowMs = whole('--slow-ms', given['slow-ms'] ?? '10000', 3_600_000);
const mood = MOODS.find((one) => one === (given.mood ?? 'answers')) ?? misused('--mood is none that is known', USAGE);

const simulator = await startSimulator({ port, slowMs, mood, folder: given.data ?? DTE_SIMULATOR_DATA });
if (!process.send) console.log(`schemas ${schemaFolder ? 'checked' : 'not there, so not checked'}\nready ${simulator.url}`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void simulator.stop().then(() => process.exit(0)));

function read() {
  try {
    const options = { port: TEXT, data: TEXT, mood: TEXT, 'slow-ms': TEXT, help: { type: 'boolean', short: 'h' } } as const;
    return parseArgs({ options }).values;
  } catch (error) {
    return misused((error as Error).message, USAGE);
  }
}

function whole(name: string, text: string, most: number): number {
  const number = Number(text);
  return Number.isInteger(number) && number >= 0 && number <= most ? number : misused(`${name} must be a number from 0 to ${most}`, USAGE);
}
