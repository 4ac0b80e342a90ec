// Exports and erases the data of a patient or a clinic in one service, according to the declarations of its modules (personal-data.ts). Erasing is
// idempotent, so an interrupted request can be repeated.
import { DataSubjectService, type EraseRecordsRequest, type ExportRecordsRequest, type Subject } from '@clinic/proto/common/v1/data_subject_pb.js';
import { audit } from '../audit/audit.ts';
import type { NamedKey } from '../config/config.ts';
import { decrypt } from '../crypto/crypto.ts';
import type { KeyedRow } from '../crypto/reencrypt.ts';
import { asSystem, type Db, execute, row, rows, type Statement, type SystemTx, sql } from '../db/db.ts';
import { fail, invalid } from '../errors/errors.ts';
import { isUuid } from '../formats/uuid.ts';
import { type Call, implement } from '../rpc/pipeline.ts';
import type { Log } from '../telemetry/log.ts';
import { type Blanks, COMMON_TABLES, type PersonalData, type PersonalTable } from './personal-data.ts';

type DataSubjectApp = { db: Db; keys: NamedKey[]; personal: PersonalData };

export function dataSubjectRpc(app: DataSubjectApp & { log: Log }) {
  return implement({ ...app, constraints: {} }, DataSubjectService, { exportRecords, eraseRecords });
}

const PAGE = 100;
/** Bytes of records after which a page ends, so that it fits into one message. */
const PAGE_BYTES = 2 * 1024 * 1024;
/** Maximum number of rows of a clinic that one call deletes, so that transactions stay short. */
const MAX_ERASED = 5_000;

type DataSubject = { clinicId: string; ids: string[]; phones: string[]; names: string[]; emails: string[]; patient: boolean };
// plain-words: kept is a value in the contract
const RETAINED = 'kept';
type Outcome = { table: string; rows: number; outcome: 'deleted' | 'blanked' | typeof RETAINED; why: string };

function parseSubject(subject: Subject | undefined): DataSubject {
  const { clinicId = '', patientIds: ids = [], phones = [], names = [], emails = [] } = subject ?? {};
  if (!isUuid(clinicId)) fail('NOT_FOUND', 'Clinic not found');
  if (!ids.every(isUuid)) invalid('patientIds', 'must be UUIDs');
  return { clinicId, ids, phones, names, emails: emails.map(toComparable), patient: ids.length > 0 };
}

/** As the system, because some tables belong to no clinic or are not readable by the request role. */
export async function exportRecords({ db, keys, personal }: DataSubjectApp, { subject, after }: ExportRecordsRequest, call: Call) {
  const target = parseSubject(subject);
  const tables = [
    ...personal.tables,
    ...COMMON_TABLES.filter(({ table, ofPatient }) => (target.patient ? ofPatient : ['audit_log', 'audit_personal'].includes(table))),
  ];
  const cursor = parseCursor(after);
  return asSystem(db, async (tx) => {
    if (after === '') await writeAudit(tx, target, call, 'exported', {});
    for (let at = cursor.table; at < tables.length; at++) {
      const table = tables[at] as PersonalTable;
      const records: string[] = [];
      let bytes = 0;
      let last: string[] | undefined;
      const page = await readPage(tx, table, target, at === cursor.table ? cursor.key : undefined);
      for (const found of page.rows) {
        last = page.key.map((name) => (found[name] instanceof Date ? found[name].toISOString() : String(found[name])));
        const decrypted = decryptRow(keys, personal, table, found);
        if (table.search && target.patient && !isFound(table, decrypted, target)) continue;
        records.push(JSON.stringify({ table: table.table, ...decrypted }, (_name, value) => (typeof value === 'bigint' ? value.toString() : value)));
        bytes += records.at(-1)?.length ?? 0;
        if (bytes > PAGE_BYTES) return { records, next: JSON.stringify({ table: at, key: last }) };
      }
      if (page.rows.length === PAGE) return { records, next: JSON.stringify({ table: at, key: last }) };
      if (records.length > 0) return { records, next: at + 1 < tables.length ? JSON.stringify({ table: at + 1 }) : '' };
    }
    return { records: [], next: '' };
  });
}

/** As the system, because the request role may not delete from append-only tables. */
export async function eraseRecords({ db, keys, personal }: DataSubjectApp, { subject, dryRun }: EraseRecordsRequest, call: Call) {
  const target = parseSubject(subject);
  const tables = [...personal.tables, ...COMMON_TABLES];
  return asSystem(db, async (tx) => {
    const outcomes: Outcome[] = [];
    let left = MAX_ERASED;
    for (const table of tables) {
      const outcome = await eraseTable(tx, { keys, personal, table, target, dryRun, most: left });
      if (!outcome || outcome.rows === 0) continue;
      outcomes.push(outcome);
      if (outcome.outcome === 'deleted' && !target.patient) left -= outcome.rows;
      if (left <= 0 && !dryRun) break;
    }
    const changed = outcomes.filter(({ outcome }) => outcome !== RETAINED);
    if (!dryRun && changed.length > 0) {
      if (target.patient) await personal.erased?.(tx, target.clinicId, target.ids);
      // Each call writes an entry, so that an interrupted erasure is recorded as well.
      await writeAudit(tx, target, call, 'erased', Object.fromEntries(changed.map(({ table, rows }) => [table, rows])));
    }
    return { tables: outcomes, more: !dryRun && left <= 0 };
  });
}

function writeAudit(tx: SystemTx, target: DataSubject, { caller }: Call, done: 'exported' | 'erased', changes: Record<string, unknown>) {
  const { clinicId, ids, patient } = target;
  return audit(tx, clinicId, caller, { action: `${patient ? 'patient' : 'clinic'}.${done}`, entityId: patient ? (ids[0] ?? '') : clinicId, changes });
}

type Erasing = { keys: NamedKey[]; personal: PersonalData; table: PersonalTable; target: DataSubject; dryRun: boolean; most: number };

/** Erases the rows of the subject in one table, or counts them in a dry run. Undefined when no row of the table can belong to the subject. */
async function eraseTable(tx: SystemTx, erasing: Erasing): Promise<Outcome | undefined> {
  const { table, target, dryRun, most } = erasing;
  const result = (outcome: Outcome['outcome'], count: number) => ({
    table: table.table,
    rows: count,
    outcome,
    why: outcome === RETAINED ? (table.why ?? '') : '',
  });
  if (target.patient && table.search) return result('deleted', await eraseMentions(tx, erasing));
  const where = condition(table, target);
  if (!where) return undefined;
  /** Runs the statement, or counts the rows that it would change. */
  const change = (text: string, due: string) => (dryRun ? countRows(tx, table.table, due, target) : execute(tx, ...prepared(text, target)));
  const rule = target.patient ? (table.erase ?? 'keep') : (table.withClinic ?? 'delete');
  if (rule === 'keep') return result(RETAINED, await countRows(tx, table.table, where, target));
  if (rule === 'delete') {
    const limit = target.patient || table.whole ? '' : ` limit ${most}`;
    const found = `select ctid from ${table.table} where ${where}${limit}`;
    return result('deleted', await change(`delete from ${table.table} where ctid = any(array(${found}))`, where));
  }
  const due = `${where} and ${differs(rule)}`;
  const set = Object.entries(rule).map(([column, value]) => `${column} = ${value}`);
  return result('blanked', await change(`update ${table.table} set ${set.join(', ')} where ${due}`, due));
}

/** SQL condition for rows that do not have the new values yet. */
const differs = (blanks: Blanks) =>
  `(${Object.entries(blanks)
    .map(([column, value]) => `${column} is distinct from (${value})`)
    .join(' or ')})`;

async function countRows(tx: SystemTx, table: string, where: string, target: DataSubject): Promise<number> {
  const [statement, values] = prepared<{ n: number }>(`select count(*)::int as n from ${table} where ${where}`, target);
  return (await row(tx, statement, values))?.n ?? 0;
}

/** SQL condition for the rows of the subject; undefined when no row of the table can belong to it. */
function condition({ ofPatient, ofClinic = 'clinic_id = $1' }: PersonalTable, { patient }: DataSubject): string | undefined {
  if (!patient) return ofClinic ?? undefined;
  return ofPatient && `clinic_id = $1 and (${ofPatient})`;
}

/** The statement with its named parameters numbered, and the values. */
function prepared<Row extends object = Record<string, never>>(text: string, target: DataSubject, more: unknown[] = []): [Statement<Row>, unknown[]] {
  const { clinicId, ids, phones } = target;
  const values = [...more];
  const put = (from: string, token: string, value: unknown, type: string) => {
    if (!from.includes(token)) return from;
    values.push(value);
    return from.replaceAll(token, `$${values.length}::${type}`);
  };
  // In the conditions, $1 is the clinic; here it gets the next free number.
  const named = put(put(put(text.replaceAll(/\$1\b/g, '$clinic'), '$ids', ids, 'uuid[]'), '$phones', phones, 'text[]'), '$clinic', clinicId, 'uuid');
  return [sql<Row>(named.replaceAll('$more', '$')), values];
}

const keyStatement = sql<{ name: string; type: string }>(`
  select a.attname as name, format_type(a.atttypid, null) as type from pg_index i
  cross join lateral unnest(i.indkey::int2[]) with ordinality as k (number, place)
  join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
  where i.indrelid = $1::regclass and i.indisprimary order by k.place`);

// Identifies the rows of a table without a primary key.
const PLACE = { name: 'ctid', type: 'tid' };

/** The next rows of a table in the order of its primary key. If `search` is declared for a table without clinics, all of its rows are read. */
async function readPage(tx: SystemTx, table: PersonalTable, target: DataSubject, after: string[] | undefined): Promise<{ key: string[]; rows: KeyedRow[] }> {
  const searched = target.patient && table.search !== undefined;
  const where = searched ? (table.ofClinic === null ? 'true' : (table.ofClinic ?? 'clinic_id = $1')) : condition(table, target);
  if (!where) return { key: [], rows: [] };
  const primary = await rows(tx, keyStatement, [table.table]);
  const key = primary.length > 0 ? primary : [PLACE];
  const names = key.map(({ name }) => name).join(', ');
  const beyond = after ? ` and (${names}) > (${key.map(({ type }, index) => `$more${index + 1}::${type}`).join(', ')})` : '';
  const [statement, values] = prepared<KeyedRow>(`select ctid, * from ${table.table} where ${where}${beyond} order by ${names} limit ${PAGE}`, target, after);
  return { key: key.map(({ name }) => name), rows: await rows(tx, statement, values) };
}

const plainName = (column: string) => column.replace(/_sealed$/, ''); // plain-words: sealed is part of column names
const SECRET = /_(hash|index)$/;

/** A row for export: encrypted values decrypted, bytes as base64, secrets left out. */
function decryptRow(keys: NamedKey[], { encrypted }: PersonalData, personalTable: PersonalTable, found: KeyedRow): Record<string, unknown> {
  const { table, search, decode, secret = [] } = personalTable;
  const decrypted: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(found)) {
    if (secret.includes(column) || SECRET.test(column) || column === PLACE.name) continue;
    const encryptedColumn = encrypted.find((one) => one.table === table && one.column === column);
    if (encryptedColumn && value === null) decrypted[plainName(column)] = null;
    else if (encryptedColumn) {
      decrypted[plainName(column)] = decryptValue(keys, value, encryptedColumn.context(found), column === search ? decode : undefined);
    } else decrypted[column] = Buffer.isBuffer(value) ? value.toString('base64') : value;
  }
  return decrypted;
}

function decryptValue(keys: NamedKey[], value: Uint8Array, context: string, decode = (decrypted: string) => decrypted): string {
  try {
    return decode(decrypt(keys, value, context));
  } catch {
    return '(cannot be decrypted with any key of the ring)';
  }
}

/** Whether a decrypted row of a table with `search` belongs to the patient. */
function isFound({ search = '', kinds, address }: PersonalTable, decrypted: Record<string, unknown>, target: DataSubject): boolean {
  const kind = String(decrypted.kind);
  if ((!kinds || kinds.includes(kind)) && mentions(decrypted[plainName(search)], target)) return true;
  if (!address?.kinds.includes(kind)) return false;
  return target.emails.includes(toComparable(String(decrypted[plainName(address.column)])));
}

/** Stored addresses may differ in case and in the form of accented letters. */
const toComparable = (email: string) => email.toLowerCase().normalize('NFC');

/** Whether the text contains an id, the digits of a phone, or a whole name of the patient. */
function mentions(text: unknown, { ids, phones, names }: DataSubject): boolean {
  if (typeof text !== 'string') return false;
  const plain = unescaped(text).toLowerCase();
  const needles = [...ids, ...names, ...phones.map((phone) => phone.replace(/\D/g, ''))]
    .map((needle) => needle.toLowerCase())
    .filter((needle) => needle.length > 3);
  return needles.some((needle) => plain.includes(needle));
}

/** JSON may contain letters as escape sequences. */
function unescaped(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

/** Deletes the rows whose encrypted columns mention the patient. All rows are decrypted, since ciphertext cannot be searched. */
async function eraseMentions(tx: SystemTx, { keys, personal, table, target, dryRun }: Erasing): Promise<number> {
  let found = 0;
  for (let after: string[] | undefined; ; ) {
    const page = await readPage(tx, table, target, after);
    const where = page.key.map((name, index) => `${name} = $${index + 1}`).join(' and ');
    for (const one of page.rows) {
      const key = page.key.map((name) => one[name]);
      after = key.map(String);
      if (!isFound(table, decryptRow(keys, personal, table, one), target)) continue;
      found += 1;
      if (!dryRun) await execute(tx, sql(`delete from ${table.table} where ${where}`), key);
    }
    if (page.rows.length < PAGE) return found;
  }
}

type Cursor = { table: number; key?: string[] | undefined };

function parseCursor(after: string): Cursor {
  if (after === '') return { table: 0 };
  try {
    const { table, key } = JSON.parse(after) as Partial<Cursor>;
    if (Number.isInteger(table)) return { table: table as number, key };
  } catch {
    // The error is thrown below.
  }
  return invalid('after', 'must be the value of next in the previous page');
}
