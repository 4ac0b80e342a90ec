// The types in which modules declare which rows belong to a patient or a clinic, and what happens to them on erasure. data-subject.ts exports and
// erases according to these declarations.
import type { EncryptedColumn } from '../crypto/reencrypt.ts';
import type { SystemTx } from '../db/db.ts';

/** Columns with the SQL expressions that replace their values. */
export type Blanks = Record<string, string>;

export type PersonalTable = {
  table: string;
  /**
   * SQL condition for the rows of a patient. `$ids` stands for the ids of the patient's records, `$phones` for the phones, $1 for the clinic.
   * Absent: no row belongs to a patient.
   */
  ofPatient?: string;
  /** Instead of a condition: an encrypted column. Rows whose value contains an id, a phone or a name of the patient belong to the patient. */
  search?: string;
  /** With `search`: the values of the column `kind` of rows that can contain these. Absent: all rows can. */
  kinds?: readonly string[];
  /** With `search`: an encrypted column with an e-mail address. Rows of these kinds with an address of the patient belong to the patient too. */
  address?: { column: string; kinds: readonly string[] };
  /** Makes the decrypted value of `search` readable, without secrets of the product. */
  decode?: (decrypted: string) => string;
  /** When the patient is erased: delete the rows or replace values. Absent: they are retained, for the reason in `why`. */
  erase?: 'delete' | Blanks;
  /** SQL condition for the rows of a clinic; default `clinic_id = $1`; null: no row belongs to a clinic. */
  ofClinic?: string | null;
  /** When the clinic is erased: retain the rows or replace values. Default: delete them. */
  withClinic?: 'keep' | Blanks;
  /** Set when rows of the table refer to each other, so that one statement must delete all of them. */
  whole?: true;
  /** Why rows are retained. */
  why?: string;
  /** Columns to leave out of exports because they hold secrets of the product. Columns named …_hash and …_index are always left out. */
  secret?: readonly string[];
};

export type PersonalData = {
  /** In the order of erasure: tables that refer to others come first. */
  tables: readonly PersonalTable[];
  encrypted: readonly EncryptedColumn[];
  /** Called in the transaction that erased rows of a patient. */
  erased?: (tx: SystemTx, clinicId: string, patientIds: string[]) => Promise<void>;
};

const AUDIT = 'the audit log contains ids and no names, and its hash chain would break';

/** The tables that every service has. */
export const COMMON_TABLES: readonly PersonalTable[] = [
  { table: 'outbox' },
  { table: 'idempotency_keys' },
  { table: 'audit_log', withClinic: 'keep', why: AUDIT },
  { table: 'audit_pending', withClinic: 'keep', why: AUDIT },
  { table: 'audit_chain', withClinic: 'keep', why: AUDIT },
  { table: 'audit_personal', ofPatient: 'entity_id = any($ids::text[])', erase: 'delete' },
];
