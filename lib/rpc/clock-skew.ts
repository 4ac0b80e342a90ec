// How far the clocks of other processes differ from the one of this process, by the times in their tokens.
import type { Log } from '../telemetry/log.ts';
import { clockSkew } from '../telemetry/metrics.ts';

/** To be called for each call: `ms` is the clock of the caller minus that of this process, a little less by the time that the call took. */
export type NoteSkew = (peer: string, ms: number) => void;

const NOTABLE_MS = 30_000;
/** Several processes have the name of a peer, so its skew may change with each call. */
const SILENT_MS = 600_000;

export function watchSkew(log: Pick<Log, 'warn'>): NoteSkew {
  const warned = new Map<string, number>();
  return (peer, ms) => {
    clockSkew.set({ peer }, ms / 1000);
    if (Math.abs(ms) < NOTABLE_MS || performance.now() < (warned.get(peer) ?? Number.NEGATIVE_INFINITY) + SILENT_MS) return;
    warned.set(peer, performance.now());
    log.warn({ peer, seconds: Math.round(ms / 1000) }, `the clock of ${peer} differs from the one of this process: beyond 90 seconds calls fail with 503`);
  };
}
