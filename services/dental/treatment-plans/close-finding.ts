// Updates the chart when a treatment step changes: completing the step closes the finding that it treats, and reopening it voids that entry.
import type { Tx } from '@clinic/lib/db/db.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import { addEntry } from '../charts/append-entry.ts';
import { findChart, getLastCorrection, lockChart } from '../charts/sql/chart-entries.sql.ts';
import { closingEntry, type TreatedPlace } from './rules/step-finding.ts';
import type { StepStatus } from './rules/step-status.ts';

type Step = TreatedPlace & { status: StepStatus; closing_entry_id: string | null };

/** Returns the id of the entry that closes the finding of the step, or null. The caller has locked the step's plan, and stores the id. */
export async function closeFinding(tx: Tx, clinicId: string, caller: Caller, patientId: string, step: Step, now: Date): Promise<string | null> {
  const { closing_entry_id, procedure_code, status } = step;
  if (procedure_code === null || (status === 'completed') === (closing_entry_id !== null)) return closing_entry_id;
  await lockChart(tx, clinicId, patientId);
  if (closing_entry_id === null) {
    const entry = closingEntry(step, (await findChart(tx, clinicId, patientId)).findings);
    return entry ? addEntry(tx, clinicId, caller, patientId, { kind: 'finding', ...entry, notes: null, replaces: null }, now) : null;
  }
  const { id, kind } = await getLastCorrection(tx, clinicId, closing_entry_id);
  if (kind !== 'void') await addEntry(tx, clinicId, caller, patientId, { kind: 'void', notes: null, replaces: id }, now);
  return null;
}
