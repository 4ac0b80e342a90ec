// Writes a batch of an import: finds existing patients, adds and changes patients, and publishes them. A dry run only counts.

import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { PatientsChangedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { duiIndexes, encryptDui } from '../patients/encrypted-dui.ts';
import { type PatientFields, toState } from '../patients/sql/patients.sql.ts';
import type { Outcome, Seen } from './import-kind.ts';
import { phoneKey, type PatientRow as ReadRow } from './parse-import-row.ts';
import type { Fault, ImportRow } from './patient-imports.sql.ts';
import { insertPatients, type KnownPatient, lockByPhone, lockDependants, updatePatients, type Written } from './patients-in-bulk.sql.ts';

type Plan = { added: Written[]; changed: Written[]; skipped: number; faults: Fault[] };

/** Rows with a phone first, since these patients may be guardians of the others. */
export async function writeBatch(app: App, tx: TenantTx, job: ImportRow, rows: ReadRow[], seen: Seen): Promise<Outcome> {
  const [withPhone, withoutPhone] = [rows.filter(({ fields }) => fields.phone), rows.filter(({ fields }) => !fields.phone)];
  const own = await write(app, tx, job, await planPatients(app, tx, withPhone));
  const dependants = await write(app, tx, job, await planDependants(app, tx, job, withoutPhone, seen));
  return {
    created: own.created + dependants.created,
    updated: own.updated + dependants.updated,
    skipped: own.skipped + dependants.skipped,
    faults: [...own.faults, ...dependants.faults],
  };
}

async function planPatients(app: App, tx: TenantTx, rows: ReadRow[]): Promise<Plan> {
  const phones = rows.map(({ fields }) => fields.phone as string);
  const found = await lockByPhone(tx, phones);
  const known = new Map(found.map((patient) => [patient.phone, patient]));
  const plan: Plan = { added: [], changed: [], skipped: 0, faults: [] };
  for (const row of rows) decide(app, tx, plan, row, known.get(row.fields.phone), null);
  return plan;
}

async function planDependants(app: App, tx: TenantTx, job: ImportRow, rows: ReadRow[], seen: Seen): Promise<Plan> {
  const plan: Plan = { added: [], changed: [], skipped: 0, faults: [] };
  if (rows.length === 0) return plan;
  const phones = rows.map(({ guardianPhone }) => guardianPhone ?? '');
  const guardians = new Map((await lockByPhone(tx, phones)).map((one) => [one.phone, one]));
  const guardianIds = [...guardians.values()].map(({ id }) => id);
  const found = await lockDependants(tx, guardianIds);
  const known = new Map(found.map((one) => [`${one.guardian_id}${one.search_name}`, one]));
  for (const row of rows) {
    const guardian = guardians.get(row.guardianPhone);
    const id = guardian?.merged_into ?? guardian?.id;
    if (id) decide(app, tx, plan, row, known.get(id + row.fields.search_name), id);
    else if (job.dry_run && seen.has(phoneKey(row.guardianPhone ?? ''))) plan.added.push({ id: v7(), fields: row.fields, guardian_id: null, dui: null });
    else plan.faults.push({ row: row.row, column: '', message: 'names a guardian whose phone no patient has' });
  }
  return plan;
}

function decide(app: App, tx: TenantTx, plan: Plan, row: ReadRow, known: KnownPatient | undefined, guardianId: string | null): void {
  const { fields, dui } = row;
  if (!known) {
    const id = v7();
    plan.added.push({ id, fields, guardian_id: guardianId, dui: encryptDui(app.keys, tx.clinicId, id, dui) });
    return;
  }
  if (known.merged_into) {
    plan.faults.push({ row: row.row, column: '', message: `has the phone of a record that was merged into patient ${known.merged_into}` });
    return;
  }
  const after = changedBy(known, fields);
  const newDui = dui && !isDui(app, tx, known, dui) ? encryptDui(app.keys, tx.clinicId, known.id, dui) : null;
  if (!after && !newDui && !known.archived_at) plan.skipped++;
  else plan.changed.push({ id: known.id, fields: after ?? known, guardian_id: known.guardian_id, dui: newDui });
}

const CHANGED = ['full_name', 'email', 'birth_date', 'gender', 'address', 'notes'] as const;

/** The patient's fields after the row; empty cells change nothing. Undefined when nothing changes. */
export function changedBy(known: PatientFields, row: PatientFields): PatientFields | undefined {
  const changes = CHANGED.filter((field) => row[field] !== null && row[field] !== known[field]).map((field) => [field, row[field]]);
  return changes.length === 0 ? undefined : { ...known, ...Object.fromEntries(changes), search_name: row.search_name };
}

const isDui = (app: App, tx: TenantTx, { dui_index }: KnownPatient, dui: NonNullable<ReadRow['dui']>) =>
  dui_index !== null && duiIndexes(app.keys, tx.clinicId, dui).some((index) => index.equals(dui_index));

async function write(app: App, tx: TenantTx, { dry_run }: ImportRow, { added, changed, skipped, faults }: Plan): Promise<Outcome> {
  if (!dry_run) {
    const [inserted, updated] = await Promise.all([
      added.length > 0 ? insertPatients(tx, added) : [],
      changed.length > 0 ? updatePatients(tx, changed, app.clock.now()) : [],
    ]);
    if (inserted.length < added.length) fail('CONFLICT', 'a phone was taken by a concurrent change'); // the caller retries the batch
    const patients = [...inserted, ...updated].map(toState);
    if (patients.length > 0) await emit(tx, tx.clinicId, PatientsChangedSchema, { patients });
  }
  return { created: added.length, updated: changed.length, skipped, faults };
}
