// Readiness at start: a process is ready when what it depends on has worked once, so that a wrong setting does not replace running processes.
// From then on it stays ready, since other copies would be affected in the same way.
import { once } from 'node:events';
import { startLoop } from '../background/loop.ts';
import type { Nats } from '../events/nats.ts';
import type { Log } from '../telemetry/log.ts';

const EVERY_MS = 1_000;

export type StartUpChecks = {
  /** The migrations of this release that the schema lacks; throws while the database cannot be used. */
  missingMigrations: () => Promise<string[]>;
  nats: Pick<Nats, 'refused'>;
  log: Log;
  /** Called once. */
  onReady?: () => void;
  everyMs?: number;
};

export function watchStartUp({ missingMigrations, nats, log, onReady = () => {}, everyMs = EVERY_MS }: StartUpChecks) {
  let ready = false;
  const loop = startLoop({ log, failure: 'not ready', everyMs }, async (stopped) => {
    const missing = await missingMigrations();
    if (missing.length > 0) throw new Error(`the schema lacks ${missing.join(', ')}: run npm run migrate of this release`);
    // While NATS is unavailable, processes work without it; one whose password it refuses never will.
    if (await nats.refused()) throw new Error('NATS refuses user and password of NATS_URL');
    ready = true;
    onReady();
    if (!stopped.aborted) await once(stopped, 'abort');
  });
  return { ready: () => ready, stop: loop.stop };
}
