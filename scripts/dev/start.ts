// `npm start`: everything in one process.
import { launch } from './launch/launch.ts';
import { oneProcess } from './launch/one-process.ts';

await launch(oneProcess);
