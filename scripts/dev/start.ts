// `npm start`: everything in one process.
import { parseOptions } from '../help.ts';
import { launch } from './launch/launch.ts';
import { oneProcess } from './launch/one-process.ts';

const USAGE = `Usage: [SETTING=value …] npm start

Runs all services and the gateway in one process, with PostgreSQL and NATS of its own unless DATABASE_URL and NATS_URL name others, and
prints the address, the sign-in of the demo clinic and the operator key. Ctrl-C ends it; the data stay in DATA_DIR (.data by default).
docs/running.md lists the settings.`;

parseOptions({ options: {} }, USAGE);
await launch(oneProcess);
