// The simulated tax authority as a separate process.
import { misused, parseOptions, wholeNumber } from '../../help.ts';
import { schemaFolder } from './schemas.ts';
import { MOODS, type Mood, startSimulator } from './server.ts';

const UNAVAILABLE: Mood = 'away'; // plain-words: away is a value of the simulator's interface

const USAGE = `Usage: node scripts/dev/dte-simulator/main.ts [options]

Simulates the tax authority of El Salvador and its signer: checks signature, schema and duplicates, and stamps documents. Set
DTE_API_BASE_URL (and DTE_SIGNER_URL, to sign there) to the address that it prints. The page at that address shows its documents
and sets its mood; so does POST /simulator {"mood", "lasts", "after", "slowMs"}: the mood for the next \`lasts\` calls, then
\`after\`. POST /simulator/certificates {"nit", "password"} returns a certificate.

  --port     port on loopback (default: DTE_SIMULATOR_PORT, or a free one)
  --data     folder for documents and events (default: DTE_SIMULATOR_DATA; without either they are stored in memory)
  --mood     ${MOODS.join(', ')}
             (default: answers). slow responds after --slow-ms, ${UNAVAILABLE} closes the connection, lost executes the call and then
             closes the connection, down responds with 503, refuses rejects every document, locked refuses every sign-in
  --slow-ms  milliseconds (default: 10000)
  --help     this text

Documents are validated when DTE_SCHEMA_DIR, or ../shared/reference/dte beside the project, contains the official schemas.`;

const TEXT = { type: 'string' } as const;
const { DTE_SIMULATOR_PORT, DTE_SIMULATOR_DATA } = process.env;

const { values } = parseOptions({ options: { port: TEXT, data: TEXT, mood: TEXT, 'slow-ms': TEXT } }, USAGE);
const port = wholeNumber('--port', values.port ?? (DTE_SIMULATOR_PORT || '0'), [0, 65_535], USAGE);
const slowMs = wholeNumber('--slow-ms', values['slow-ms'] ?? '10000', [0, 3_600_000], USAGE);
const mood = MOODS.find((one) => one === (values.mood ?? 'answers')) ?? misused(`--mood must be one of ${MOODS.join(', ')}.`, USAGE);

const simulator = await startSimulator({ port, slowMs, mood, folder: values.data ?? DTE_SIMULATOR_DATA });
if (!process.send) console.log(`schemas ${schemaFolder ? 'checked' : 'not found, so not checked'}\nready ${simulator.url}`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void simulator.stop().then(() => process.exit(0)));
