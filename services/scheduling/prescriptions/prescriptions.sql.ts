// Prescriptions, their numbers, and the links that were sent to patients.
import { type Db, execute, getRow, readTenant, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import type { Page } from '@clinic/lib/formats/page.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { recordsOf } from '../patient-records/records.sql.ts';

export type Item = { drug: string; dose: string; frequency: string; duration: string; notes: string | null };

export type PrescriptionRow = {
  id: string;
  number: number;
  patient_id: string;
  patient_name: string;
  patient_birth_date: string | null;
  author_id: string;
  author_name: string;
  license_number: string | null;
  items: Item[];
  created_at: Date;
};

export const toProto = (row: PrescriptionRow) => ({
  ...toFields(row),
  patients: { id: row.patient_id, fullName: row.patient_name },
  items: row.items.map(toFields),
});

/** `patient_id` is the patient into whom the prescription's record was merged, or that record itself. */
const COLUMNS = `n.id, n.number, (select coalesce(r.merged_into, r.id) from patients r where r.clinic_id = n.clinic_id and r.id = n.patient_id) as patient_id,
  n.patient_name, n.patient_birth_date, n.author_id, n.author_name, n.license_number, n.items, n.created_at`;

const OF_PATIENT = `n.clinic_id = $1 and n.patient_id = any(${recordsOf('$1', '$2')})`;

type PrescriptionFilter = { authorId: string | null; from: Date | null; until: Date | null };

const MATCHES = `${OF_PATIENT} and ($3::uuid is null or n.author_id = $3) and ($4::timestamptz is null or n.created_at >= $4)
  and ($5::timestamptz is null or n.created_at < $5)`;
const listStatement = sql<PrescriptionRow & { total: number }>(`
  select counted.total, page.* from (select count(*)::int as total from prescriptions n where ${MATCHES}) counted
  left join lateral (select ${COLUMNS} from prescriptions n where ${MATCHES} order by n.number desc limit $6 offset $7) page on true`);

export const listPrescriptions = (db: Db, clinicId: string, patientId: string, { authorId, from, until }: PrescriptionFilter, { limit, offset }: Page) =>
  readPage(db, clinicId, listStatement, [clinicId, patientId, authorId, from, until, limit, offset]);

const findStatement = sql<PrescriptionRow>(`select ${COLUMNS} from prescriptions n where ${OF_PATIENT} and n.id = $3`);

/** Undefined when it is no prescription of the patient. */
export const findPrescription = async (db: Db, clinicId: string, patientId: string, id: string) =>
  (await readTenant(db, clinicId, findStatement, [clinicId, patientId, id]))[0];

const takeNumberStatement = sql<{ last: number }>(`
  insert into prescription_numbers (clinic_id, last) values ($1, 1)
  on conflict (clinic_id) do update set last = prescription_numbers.last + 1
  returning last`);

/** The clinic's next number. Other prescriptions wait until the transaction ends, so that there are no gaps. */
export const takeNumber = async (tx: TenantTx) => (await getRow(tx, takeNumberStatement, [tx.clinicId])).last;

const insertStatement = sql(`
  insert into prescriptions (clinic_id, id, number, patient_id, patient_name, patient_birth_date, author_id, author_name, license_number, items, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`);

export async function insertPrescription(tx: TenantTx, prescription: PrescriptionRow): Promise<void> {
  const { id, number, patient_id, patient_name, patient_birth_date, author_id, author_name, license_number, items, created_at } = prescription;
  const who = [patient_id, patient_name, patient_birth_date, author_id, author_name, license_number];
  await execute(tx, insertStatement, [tx.clinicId, id, number, ...who, JSON.stringify(items), created_at]);
}

export type LinkRow = { id: string; prescription_id: string; channel: string; sent_by: string; created_at: Date; expires_at: Date };

const insertLinkStatement = sql(`
  insert into prescription_links (clinic_id, id, prescription_id, channel, sent_by, created_at, expires_at) values ($1, $2, $3, $4, $5, $6, $7)`);

export const insertLink = (tx: TenantTx, { id, prescription_id, channel, sent_by, created_at, expires_at }: LinkRow) =>
  execute(tx, insertLinkStatement, [tx.clinicId, id, prescription_id, channel, sent_by, created_at, expires_at]);

const openStatement = sql<PrescriptionRow>(`
  select ${COLUMNS} from prescription_links l join prescriptions n on n.clinic_id = l.clinic_id and n.id = l.prescription_id
  where l.clinic_id = $1 and l.id = $2 and l.expires_at > $3`);

/** Undefined when the link has expired. */
export const findByLink = async (db: Db, clinicId: string, linkId: string, now: Date) =>
  (await readTenant(db, clinicId, openStatement, [clinicId, linkId, now]))[0];
