// Adds an entry to a chart, with its event and its line in the audit log, and shows the rebuilt chart.
import { audit } from '@clinic/lib/audit/audit.ts';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { FoundPatient } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { showChart } from './show-chart.ts';
import { chartOf, findEntry, insertEntry, type NewEntry } from './sql/chart-entries.sql.ts';

export type EntryInput = Pick<NewEntry, 'kind' | 'notes' | 'replaces'> & Partial<NewEntry>;

/** NOT_FOUND when `replaces` is no entry of this chart, CONFLICT when it was corrected before. */
export async function appendEntry(app: App, tx: TenantTx, call: Call, patient: FoundPatient, input: EntryInput) {
  if (input.replaces) {
    const wrong = found(await findEntry(tx, patient.id, input.replaces), 'Chart entry');
    if (wrong.kind === 'void') fail('CONFLICT', 'What was taken back is not brought back: chart it again');
  }
  const now = app.clock.now();
  const entry: NewEntry = {
    id: v7(),
    teeth: [],
    pontics: [],
    finding: null,
    surfaces: [],
    status: null,
    dentition: null,
    recorded_by: call.caller.id,
    created_at: now,
    ...input,
  };
  await insertEntry(tx, patient.id, entry);
  const [chart] = await Promise.all([
    chartOf(tx, patient.id),
    audit(tx, tx.clinicId, call.caller, { action: `chart_${entry.kind}`, entity: 'chart_entry', entityId: entry.id }),
  ]);
  return showChart(chart, patient, now);
}
