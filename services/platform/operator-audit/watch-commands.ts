// Exports as a metric when the commands that operators must run regularly last succeeded, so that an alert reports when they no longer do.
import { startLoop } from '@clinic/lib/background/loop.ts';
import type { Stoppable } from '@clinic/lib/background/stop.ts';
import { readSystem, sql } from '@clinic/lib/db/db.ts';
import { NO_CLINIC } from '@clinic/lib/formats/uuid.ts';
import { commandSucceeded } from '@clinic/lib/telemetry/metrics.ts';
import type { App } from '../app.ts';

const EVERY_MS = 60_000;

const lastSuccesses = sql<{ command: string; seconds: number }>(`
  select command, coalesce((
    select extract(epoch from max(l.at)) from audit_log l
    where l.clinic_id = $1 and l.action = expected.action and coalesce(l.changes ->> 'faults', '0') = '0'), 0)::float8 as seconds
  from (values ('backup', 'backup.written'), ('verify-audit', 'audit_log.verified')) expected (command, action)`);

export function watchCommands({ db, log }: Pick<App, 'db' | 'log'>, everyMs = EVERY_MS): Stoppable {
  return startLoop({ log, failure: 'could not read when backup and verify-audit last succeeded', everyMs }, async () => {
    // As the system, because operators' actions belong to no clinic.
    for (const { command, seconds } of await readSystem(db, lastSuccesses, [NO_CLINIC])) commandSucceeded.set({ command }, seconds);
  });
}
