// The interface between an import and the kind of its rows. Patients are in patients-kind.ts, the other kinds in the module appointment-imports.

import type { TenantTx } from '@clinic/lib/db/db.ts';
import type { App } from '../app.ts';
import type { ColumnNames, Columns } from './import-columns-rules.ts';
import type { Fault, ImportRow, Kinds } from './patient-imports.sql.ts';

export type Outcome = { created: number; updated: number; skipped: number; faults: Fault[] };
/** For each key the first row of the file that has it. Numbers as keys need less memory than texts. */
export type Seen = Map<number | string, number>;
/** `today` is the date in the clinic's `zone`. */
export type Context = { clinicId: string; country: string; today: string; zone: string };

/** Declared with methods, whose parameters are bivariant, so that a kind with more specific rows and columns is assignable to Kind. */
export type Kind<Row extends { row: number } = { row: number }, F extends string = string> = {
  name: Kinds;
  /** The name of the job that continues an import. */
  job: string;
  /** Recorded when a file is complete. */
  action: 'patient_import.finished' | 'appointment_import.finished' | 'balance_import.finished';
  columns: ColumnNames<F>;
  /** A message about the first required column that is missing, or undefined. */
  missing(columns: Columns<F>): string | undefined;
  /** A row, all its errors, or undefined for an empty one. */
  parse(row: number, cells: string[], columns: Columns<F>, context: Context): Row | Fault[] | undefined;
  /** Two rows with the same key contradict each other: the second is an error. */
  keyOf(row: Row): number | string;
  repeated(columns: Columns<F>, first: number, row: Row): Omit<Fault, 'row'>;
  /** Prepares a batch, and returns what writes it. Runs again when the batch fails, so it may be called several times. */
  prepare(app: App, job: ImportRow, rows: Row[], seen: Seen, context: Context): Promise<(tx: TenantTx) => Promise<Outcome>>;
};
