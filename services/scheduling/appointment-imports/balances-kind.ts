// Imports of what patients owed to the clinic when it moved in. Dental stores each balance as a payment plan.

import { createHash } from 'node:crypto';
import { inTenant } from '@clinic/lib/db/db.ts';
import { parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { App } from '../app.ts';
import { isoDate } from '../patient-imports/import-cell-rules.ts';
import type { Columns } from '../patient-imports/import-columns-rules.ts';
import type { Context, Kind, Outcome } from '../patient-imports/import-kind.ts';
import type { Fault, ImportRow } from '../patient-imports/patient-imports.sql.ts';
import { readCells } from '../patient-imports/read-cells.ts';
import { duiIndexes } from '../patients/encrypted-dui.ts';
import { centsOf } from './appointment-cells-rules.ts';
import { listCandidates, listMergedRecords } from './appointment-imports.sql.ts';
import { matchPatient, missingRef, type PatientRef, parseRef, REF_COLUMNS, refKey } from './patient-ref.ts';

const COLUMNS = {
  ...REF_COLUMNS,
  balance: 'balance amount_due patient_balance account_balance estbalance est_balance baltotal saldo saldo_pendiente saldo_inicial deuda debe monto',
  due_date: 'due_date due vencimiento fecha_vencimiento fecha_de_vencimiento',
  description: 'description concept descripcion concepto detalle',
};
type Column = keyof typeof COLUMNS;

/** A patient with 0 `cents` owes nothing. */
type Row = { row: number; ref: PatientRef; cents: bigint; dueDate: string | undefined; description: string | null };

export const BALANCES: Kind<Row, Column> = {
  name: 'balances',
  job: 'import-balances',
  action: 'balance_import.finished',
  columns: COLUMNS,
  missing(columns) {
    if (!columns.balance) return 'must have a header line with a column for the balance, for example saldo or balance';
    return missingRef(columns);
  },
  parse: parseRow,
  keyOf: ({ row, ref, cents }) => (cents === 0n ? row : refKey(ref)), // a row with 0 is skipped, so it contradicts none
  repeated: (columns, first) => ({ column: columns.balance?.header ?? '', message: `is in row ${first} already: a patient has one balance` }),
  async prepare(app, job, rows, _seen, context) {
    const outcome = await importBalances(app, job, rows, context);
    return async () => outcome;
  },
};

function parseRow(row: number, cells: string[], columns: Columns<Column>, { country }: Context): Row | Fault[] | undefined {
  const { at, attempt, faults, isEmpty } = readCells(row, cells, columns);
  if (isEmpty) return undefined;
  const parsed = {
    row,
    ref: parseRef({ at, attempt }, country),
    cents: attempt('balance', (text) => (/^\D*0*([.,]0{1,2})?$/.test(text) && /\d/.test(text) ? 0n : centsOf(text))) ?? 0n,
    dueDate: attempt('due_date', (text) => (text ? parseLocalDate('due_date', isoDate(text)) : undefined)),
    description: attempt('description', (text) => parseOptionalText('description', text, 500)) ?? null,
  };
  return faults.length > 0 ? faults : parsed;
}

const FAULTS: Record<string, string> = {
  differs: 'differs from the opening balance that was imported before: cancel its payment plan and create another',
};

async function importBalances(app: App, { id, dry_run, rows_read }: ImportRow, rows: Row[], context: Context): Promise<Outcome> {
  const { clinicId, country, zone } = context;
  const indexesOf = (dui: string) => duiIndexes(app.keys, clinicId, dui);
  const owing = rows.filter(({ cents }) => cents > 0n);
  const refs = owing.map(({ ref }) => ref);
  const indexes = refs.flatMap(({ dui }) => (dui ? indexesOf(dui) : []));
  const candidates = await inTenant(app.db, clinicId, (tx) => listCandidates(tx, refs, indexes));
  const faults: Fault[] = [];
  const matched = owing.flatMap((row) => {
    const patient = matchPatient(row.ref, candidates, indexesOf);
    if ('id' in patient) return [{ ...row, patientId: patient.id }];
    faults.push({ row: row.row, column: '', message: patient.fault });
    return [];
  });
  const patientIds = matched.map(({ patientId }) => patientId);
  const merged = Map.groupBy(await inTenant(app.db, clinicId, (tx) => listMergedRecords(tx, patientIds)), ({ merged_into }) => merged_into);
  const balances = matched.map(({ patientId, cents, dueDate, description }) => ({
    patientId,
    amount: cents,
    dueDate,
    description: description ?? undefined,
    mergedIds: (merged.get(patientId) ?? []).map(({ id }) => id),
  }));
  // A batch that is repeated after a crash gets the first response again, so that it is counted as it was.
  const key = createHash('sha256')
    .update(JSON.stringify(balances, (_, value) => (typeof value === 'bigint' ? String(value) : value)))
    .digest('base64url');
  const caller = { ...serviceCaller('scheduling', id), clinic: { id: clinicId, plan: '', timezone: zone, country } };
  const { results } = await app.openingBalances.importOpeningBalances({ dryRun: dry_run, balances }, callAs(caller, `${id}/${rows_read}/${key}`));
  const count = (wanted: string) => results.filter((result) => result === wanted).length;
  for (const [index, result] of results.entries()) {
    const message = FAULTS[result];
    if (message) faults.push({ row: matched[index]?.row ?? 0, column: '', message });
  }
  return { created: count('created'), updated: 0, skipped: count('unchanged') + rows.length - owing.length, faults };
}
