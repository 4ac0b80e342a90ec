// Measures by how much the clocks of other processes differ from the clock of this process, from the times in their tokens.
import type { Log } from '../telemetry/log.ts';
import { clockSkew } from '../telemetry/metrics.ts';

/** Must be called for each call. `ms` is the clock of the caller minus that of this process, less the time that the call took to arrive. */
export type NoteSkew = (peer: string, ms: number) => void;

const NOTABLE_MS = 30_000;
/** Minimum time between two warnings about a peer, whose skew may change with each call, since several replicas have its name. */
const SILENT_MS = 600_000;

export function watchSkew(log: Pick<Log, 'warn'>): NoteSkew {
  const warned = new Map<string, number>();
  return (peer, ms) => {
    clockSkew.set({ peer }, ms / 1000);
    if (Math.abs(ms) < NOTABLE_MS || performance.now() < (warned.get(peer) ?? Number.NEGATIVE_INFINITY) + SILENT_MS) return;
    warned.set(peer, performance.now());
    log.warn(
      { peer, seconds: Math.round(ms / 1000) },
      `the clock of ${peer} differs from the clock of this process: beyond 90 seconds, calls between them can fail with 503`,
    );
  };
}
