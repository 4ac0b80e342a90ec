// Who can reach this start: by default only this machine. The documented password is used only on loopback.
import { existsSync } from 'node:fs';
import net from 'node:net';
import { ServiceError } from '@clinic/lib/errors/errors.ts';
import type { Transport } from '@connectrpc/connect';
import { isLoopback } from '../../../lib/formats/loopback.ts';
import { demoCaller } from '../demo/admin.ts';
import { CLINIC } from '../demo/clinic.ts';
import { storedDemo } from '../demo/file.ts';
import { StartFault } from '../start-fault.ts';

/** The documented password of the demo clinic, used while only this machine can reach the product. */
export const PUBLIC_PASSWORD = 'Sonrisa-2026';

/** The host in URLs with which this machine reaches a server that listens on `host`. */
export function localHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return net.isIPv6(host) ? `[${host}]` : host;
}

/** Throws when others could sign in to the demo clinic of an earlier start with the documented password. */
export function refusePublicPassword(host: string, dataDir: string): void {
  if (isLoopback(host) || storedDemo(dataDir)?.password !== PUBLIC_PASSWORD) return;
  throw new StartFault(
    `HOST is ${host}, but the demo clinic in ${dataDir} has the password that the documentation shows: unset HOST, or set DATA_DIR to a new folder. If you have changed that password, delete demo.json there.`,
  );
}

/** The same for the demo clinic of a restored database, whose data folder has no demo.json. */
export async function refuseRestoredPassword(host: string, dataDir: string, transport: (service: string) => Transport): Promise<void> {
  if (isLoopback(host) || storedDemo(dataDir)) return;
  try {
    await demoCaller(transport, { email: CLINIC.email, password: PUBLIC_PASSWORD });
  } catch (error) {
    if (error instanceof ServiceError && error.reason !== 'UNAVAILABLE') return;
    throw error;
  }
  throw new StartFault(
    `HOST is ${host}, but the database contains the demo clinic with the password that the documentation shows: unset HOST, sign in as ${CLINIC.email} and change it.`,
  );
}

/** How to make a start in a container reachable from its host; undefined outside containers. */
export function containerHint(host: string): string | undefined {
  const inContainer = existsSync('/.dockerenv') || existsSync('/run/.containerenv') || process.env.KUBERNETES_SERVICE_HOST !== undefined;
  return inContainer && isLoopback(host) ? 'only inside this container; to reach it from outside, set HOST=0.0.0.0 and publish PORT' : undefined;
}
