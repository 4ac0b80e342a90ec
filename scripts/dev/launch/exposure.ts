// Who can reach this start: by default only this machine. What everybody knows or nobody should see is for loopback only.
import { existsSync } from 'node:fs';
import net from 'node:net';
import { isLoopback } from '../../../lib/formats/loopback.ts';
import { storedDemo } from '../demo/file.ts';
import { StartFault } from '../start-fault.ts';

/** Of the demo clinic while only this machine can reach it; documented. */
export const PUBLIC_PASSWORD = 'Sonrisa-2026';

/** The host in URLs by which this machine reaches what listens on `host`. */
export function localHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return net.isIPv6(host) ? `[${host}]` : host;
}

/** Throws when others could sign in to the demo clinic that an earlier start created. */
export function refusePublicPassword(host: string, dataDir: string): void {
  if (isLoopback(host) || storedDemo(dataDir)?.password !== PUBLIC_PASSWORD) return;
  throw new StartFault(
    `HOST is ${host}, but the demo clinic in ${dataDir} has the password that the documentation shows: unset HOST, or set DATA_DIR to a new folder. If you have changed that password, delete demo.json there.`,
  );
}

/** What to do in a container so that its host reaches the start; undefined elsewhere. */
export function containerHint(host: string): string | undefined {
  const inContainer = existsSync('/.dockerenv') || existsSync('/run/.containerenv') || process.env.KUBERNETES_SERVICE_HOST !== undefined;
  return inContainer && isLoopback(host) ? 'only inside this container; to open it, set HOST=0.0.0.0 and publish PORT' : undefined;
}
