// Readiness at start: a process becomes ready once all its dependencies have worked, so that a rollout with a wrong setting does not replace running
// processes. It then stays ready, since an outage would affect its other replicas in the same way.
import { once } from 'node:events';
import { startLoop } from '../background/loop.ts';
import type { Nats } from '../events/nats.ts';
import type { Log } from '../telemetry/log.ts';

const EVERY_MS = 1_000;

type StartUpChecks = {
  /** The migrations of this release that the schema lacks; throws while the database cannot be used. */
  missingMigrations: () => Promise<string[]>;
  nats: Pick<Nats, 'refused'>;
  log: Log;
  /** Called once, when the process becomes ready. */
  onReady?: () => void;
  everyMs?: number;
};

/** Repeats the checks until they succeed. `ready()` is true from then on. */
export function watchStartUp({ missingMigrations, nats, log, onReady = () => {}, everyMs = EVERY_MS }: StartUpChecks) {
  let ready = false;
  const loop = startLoop({ log, failure: 'the process is not ready', everyMs }, async (stopped, recovered) => {
    const missing = await missingMigrations();
    if (missing.length > 0) throw new Error(`the schema lacks ${missing.join(', ')}: run npm run migrate of this release`);
    // A process works while NATS is unavailable, but would never connect with a password that NATS refuses.
    if (await nats.refused()) throw new Error('NATS refuses user and password of NATS_URL');
    ready = true;
    recovered();
    onReady();
    if (!stopped.aborted) await once(stopped, 'abort');
  });
  return { ready: () => ready, stop: loop.stop };
}
