// Commands that run in a container of the product's image.
import { existsSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import { OpsFault } from './command.ts';

const TMPFS = 0x01021994; // in linux/magic.h

/**
 * Throws in a container of the image, which has the file `mark`, when what is written to `target` would be deleted with the container: on the
 * container's own file system, in memory, or in /tmp, which is a temporary folder of the pod on Kubernetes.
 */
export function requireOutliving(target: string, mark = '/app/health.sh'): void {
  if (!existsSync(mark)) return;
  let existing = path.resolve(target);
  const isTemporary = `${existing}/`.startsWith('/tmp/');
  while (!existsSync(existing)) existing = path.dirname(existing);
  if (isTemporary || statSync(existing).dev === statSync('/').dev || statfsSync(existing).type === TMPFS)
    throw new OpsFault(`${target} would be deleted with this container: write to a volume that is mounted into it, such as /backups.`);
}
