// `npm run start:distributed`: runs each service and the gateway as separate processes on loopback.
import { parseOptions } from '../help.ts';

const USAGE = `Usage: [SETTING=value …] npm run start:distributed

Like npm start, but runs each service and the gateway as separate processes. A process that ends unexpectedly is restarted.`;

parseOptions({ options: {} }, USAGE);
// Loaded after the options were parsed, so that --help is immediate.
const [{ launch }, { manyProcesses }] = await Promise.all([import('./launch/launch.ts'), import('./launch/many-processes.ts')]);
await launch(manyProcesses);
