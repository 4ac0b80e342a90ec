// For operators, after events were lost beyond what the outboxes keep: reads patients and visits from scheduling again.
import { asSystem } from '@clinic/lib/db/db.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../../app.ts';
import { REBUILD } from '../rebuild-projection.ts';

export async function rebuildRecallVisits(app: Pick<App, 'db'>) {
  // As the system: over all clinics.
  await asSystem(app.db, (tx) => enqueue(tx, REBUILD, {}));
  return {};
}
