// What a service says of its tables in its modules: which rows tell of a person, and what becomes of them when the person or
// the clinic is erased. One implementation exports and erases by it (data-subject.ts).

import type { EncryptedColumn } from '../crypto/reencrypt.ts';
import type { SystemTx } from '../db/db.ts';

/** Columns and the SQL expressions that they get. */
export type Blanks = Record<string, string>;

export type PersonalTable = {
  table: string;
  /**
   * Which rows of the clinic tell of a patient. `$ids` stands for the patient's records, `$phones` for the phones; $1 is the
   * clinic. Absent: none does.
   */
  ofPatient?: string;
  /** In place of a condition: rows in whose sealed column an id, a phone or a name of the patient stands. */
  search?: string;
  /** The opened value of `search` as a text that can be read. */
  decode?: (opened: string) => string;
  /** When the patient is erased, rows go or are blanked. Absent: they stay, and `why` says why. */
  erase?: 'delete' | Blanks;
  /** Which rows are the clinic's, `clinic_id = $1` unless told; null: none is to be found. */
  ofClinic?: string | null;
  /** When the clinic is erased: rows go unless told. */
  withClinic?: 'keep' | Blanks;
  /** Rows that refer to each other go in one statement. */
  whole?: true;
  /** Why rows are kept. */
  why?: string;
  /** Columns that are secrets of the product, and no data of a person. Those named …_hash and …_index are secret anyway. */
  secret?: readonly string[];
};

export type PersonalData = {
  /** Rows are erased in this order: what refers to others first. */
  tables: readonly PersonalTable[];
  encrypted: readonly EncryptedColumn[];
  /** Called in the transaction that erased something of a patient. */
  erased?: (tx: SystemTx, clinicId: string, patientIds: string[]) => Promise<void>;
};

const AUDIT = 'the audit log names nobody but by id, and its chain would break';

/** The tables that every service has. */
export const PLUMBING_TABLES: readonly PersonalTable[] = [
  { table: 'outbox' },
  { table: 'idempotency_keys' },
  { table: 'audit_log', withClinic: 'keep', why: AUDIT },
  { table: 'audit_pending', withClinic: 'keep', why: AUDIT },
  { table: 'audit_chain', withClinic: 'keep', why: AUDIT },
];
