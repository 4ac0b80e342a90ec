// Updates the chart when a treatment step changes: completing the step closes the finding that it treats, and reopening it voids that entry.
import type { Tx } from '@clinic/lib/db/db.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import { addEntry } from '../charts/append-entry.ts';
import { findChart, getLastCorrection, lockChart } from '../charts/sql/chart-entries.sql.ts';
import { closingEntry, type TreatedPlace } from './rules/step-finding.ts';
import type { StepStatus } from './rules/step-status.ts';

type Step = TreatedPlace & { status: StepStatus; closing_entry_id: string | null };

/**
 * Returns the id of the entry that closes the finding of the step, or null. `status` is the new status of the step. The caller has locked the
 * step's plan, and stores the id.
 */
export async function closeFinding(tx: Tx, clinicId: string, caller: Caller, patientId: string, step: Step, status: StepStatus, now: Date) {
  const { closing_entry_id, procedure_code } = step;
  // A later finding on the same tooth is not the one that a step completed before has treated.
  if (procedure_code === null || (status === 'completed') === (step.status === 'completed')) return closing_entry_id;
  if (status === 'completed') {
    await lockChart(tx, clinicId, patientId);
    const entry = closingEntry(step, (await findChart(tx, clinicId, patientId)).findings);
    return entry ? addEntry(tx, clinicId, caller, patientId, { kind: 'finding', ...entry, notes: null, replaces: null }, now) : null;
  }
  if (closing_entry_id === null) return null;
  await lockChart(tx, clinicId, patientId);
  const { id, kind } = await getLastCorrection(tx, clinicId, closing_entry_id);
  if (kind !== 'void') await addEntry(tx, clinicId, caller, patientId, { kind: 'void', notes: null, replaces: id }, now);
  return null;
}
