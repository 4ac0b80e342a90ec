// `npm start`: runs everything in one process.
import { parseOptions } from '../help.ts';

const USAGE = `Usage: [SETTING=value …] npm start

Runs all services and the gateway in one process, with an embedded PostgreSQL and NATS unless DATABASE_URL and NATS_URL are set, and prints the
address, the sign-in of the demo clinic and the operator key. Ctrl-C ends it. The data is stored in DATA_DIR (.data by default).
docs/running.md lists the settings.`;

parseOptions({ options: {} }, USAGE);
// Loaded after the options were parsed, so that --help is immediate.
const [{ launch }, { oneProcess }] = await Promise.all([import('./launch/launch.ts'), import('./launch/one-process.ts')]);
await launch(oneProcess);
