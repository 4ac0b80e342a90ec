// `npm run start:distributed`: each service and the gateway in a process of its own, on loopback.
import { parseOptions } from '../help.ts';
import { launch } from './launch/launch.ts';
import { manyProcesses } from './launch/many-processes.ts';

const USAGE = `Usage: [SETTING=value …] npm run start:distributed

Like npm start, with each service and the gateway in a process of its own. Each one that ends is started again.`;

parseOptions({ options: {} }, USAGE);
await launch(manyProcesses);
