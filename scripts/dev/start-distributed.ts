// `npm run start:distributed`: each service and the gateway in a process of its own, on loopback.
import { launch } from './launch/launch.ts';
import { manyProcesses } from './launch/many-processes.ts';

await launch(manyProcesses);
