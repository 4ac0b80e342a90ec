// Queues a rebuild of recall's projection. Operators call it when events older than the outbox retention were lost.
import { asSystem } from '@clinic/lib/db/db.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../../app.ts';
import { REBUILD_JOB } from '../rebuild-projection.ts';

export async function rebuildRecallVisits(app: Pick<App, 'db'>) {
  // As the system: over all clinics.
  await asSystem(app.db, (tx) => enqueue(tx, REBUILD_JOB, {}));
  return {};
}
