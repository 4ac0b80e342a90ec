// `npm run start:distributed`: runs each service and the gateway as separate processes on loopback.
import { parseOptions } from '../help.ts';
import { launch } from './launch/launch.ts';
import { manyProcesses } from './launch/many-processes.ts';

const USAGE = `Usage: [SETTING=value …] npm run start:distributed

Like npm start, but runs each service and the gateway as separate processes. A process that ends unexpectedly is restarted.`;

parseOptions({ options: {} }, USAGE);
await launch(manyProcesses);
