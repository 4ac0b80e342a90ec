import type { Log } from '@clinic/lib/telemetry/log.ts';
import type { OutboundOutcome } from './outbound.sql.ts';

/** Logs for each clinic whose recall messages wait from now on. */
export function logRecallPauses(log: Log, ended: { clinicId: string; outcome: OutboundOutcome }[]): void {
  for (const clinicId of new Set(ended.filter(({ outcome }) => outcome.pausesRecalls).map(({ clinicId }) => clinicId)))
    log.warn({ clinicId }, 'the provider limits messages of the clinic because of their quality: recall messages wait for six hours');
}
