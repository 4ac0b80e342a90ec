import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';

/** Called by every process of the product when it has started. */
export function afterStart(): void {
  flushCompileCache(); // for later starts, also if this process is killed
  // Collects garbage when the old generation has grown by half since the last collection. By default, V8 waits until it is two to three times as
  // large, and that memory is not released. It is not a flag of the command line, since with it Node compiles its own modules at each start.
  setFlagsFromString('--heap-growing-percent=50');
}
