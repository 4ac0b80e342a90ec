// Adds an entry to a chart and to the audit log, and returns the rebuilt chart.
import { audit } from '@clinic/lib/audit/audit.ts';
import type { TenantTx, Tx } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { FoundPatient } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { findChart, findEntry, insertEntry, type NewEntry } from './sql/chart-entries.sql.ts';
import { toDentalChart } from './to-dental-chart.ts';

const ACTIONS = { finding: 'chart_entry.created', dentition: 'chart_entry.dentition_set', void: 'chart_entry.voided' } as const;

type EntryInput = Pick<NewEntry, 'kind' | 'notes' | 'replaces'> & Partial<NewEntry>;

/** Throws NOT_FOUND when `replaces` is not an entry of this chart, CONFLICT when that entry has already been corrected or is a void. */
export async function appendEntry(app: App, tx: TenantTx, call: Call, patient: FoundPatient, input: EntryInput) {
  if (input.replaces) {
    const replaced = found(await findEntry(tx, patient.id, input.replaces), 'Chart entry');
    if (replaced.kind === 'void') fail('CONFLICT', 'A void cannot be corrected: add the finding again');
  }
  const now = app.clock.now();
  await addEntry(tx, tx.clinicId, call.caller, patient.id, input, now);
  return toDentalChart(await findChart(tx, tx.clinicId, patient.id), patient, dateIn(clinicOf(call).timezone, now));
}

/** Adds an entry to a chart and to the audit log, and returns its id. */
export async function addEntry(tx: Tx, clinicId: string, caller: Caller, patientId: string, input: EntryInput, now: Date): Promise<string> {
  const entry: NewEntry = {
    id: v7(),
    teeth: [],
    pontics: [],
    finding: null,
    surfaces: [],
    status: null,
    dentition: null,
    recorded_by: caller.id,
    created_at: now,
    ...input,
  };
  await insertEntry(tx, clinicId, patientId, entry);
  await audit(tx, clinicId, caller, { action: ACTIONS[entry.kind], entityId: entry.id });
  return entry.id;
}
