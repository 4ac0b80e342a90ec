// Medical alerts of patients.
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Db, execute, getRow, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import type { Page } from '@clinic/lib/formats/page.ts';
import { recordsOf, refuseMergedRecord } from '../patient-records/records.sql.ts';
import type { AlertFields } from './alert-rules.ts';

/** Times as texts, since rows that have alerts aggregate them as JSON. */
export type AlertRow = AlertFields & { id: string; created_at: string; updated_at: string };

export const toProto = ({ created_at, updated_at, ...fields }: AlertRow) => ({
  ...fields,
  createdAt: timestampFromDate(new Date(created_at)),
  updatedAt: timestampFromDate(new Date(updated_at)),
});

const ORDER = `array_position(array['danger', 'warning', 'info'], m.severity), m.created_at, m.id`;
const COLUMNS = `m.id, m.kind, m.severity, m.text, m.created_at::text as created_at, m.updated_at::text as updated_at`;

/** Alerts of the patient, also those of merged records. */
const ofPatient = (clinic: string, patient: string) => `m.clinic_id = ${clinic} and m.patient_id = any(${recordsOf(clinic, patient)})`;

/** A column `alerts` with the alerts of a patient, the most severe first. The arguments are SQL. */
export const alertsOf = (clinic: string, patient: string) => `
  (select coalesce(json_agg(json_build_object('id', m.id, 'kind', m.kind, 'severity', m.severity, 'text', m.text, 'created_at', m.created_at,
    'updated_at', m.updated_at) order by ${ORDER}), '[]') from medical_alerts m where ${ofPatient(clinic, patient)}) as alerts`;

const OWN = ofPatient('$1', '$2');
const listStatement = sql<AlertRow & { total: number }>(`
  select counted.total, page.* from (select count(*)::int as total from medical_alerts m where ${OWN}) counted
  left join lateral (select ${COLUMNS} from medical_alerts m where ${OWN} order by ${ORDER} limit $3 offset $4) page on true`);

export const listAlerts = (db: Db, clinicId: string, patientId: string, { limit, offset }: Page) =>
  readPage(db, clinicId, listStatement, [clinicId, patientId, limit, offset]);

const findAllStatement = sql<{ alerts: AlertRow[] }>(`select ${alertsOf('$1', '$2')}`);

export const findAlerts = async (tx: TenantTx, patientId: string) => (await row(tx, findAllStatement, [tx.clinicId, patientId]))?.alerts ?? [];

const insertStatement = sql<AlertRow>(`
  insert into medical_alerts as m (clinic_id, id, patient_id, kind, severity, text, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $7)
  returning ${COLUMNS}`);

export const insertAlert = (tx: TenantTx, id: string, patientId: string, { kind, severity, text }: AlertFields, now: Date) =>
  getRow(tx, insertStatement, [tx.clinicId, id, patientId, kind, severity, text, now]);

const lockStatement = sql<AlertRow>(`select ${COLUMNS} from medical_alerts m where ${OWN} and m.id = $3 for update`);

/** Undefined when it is not an alert of the patient. */
export async function lockAlert(tx: TenantTx, patientId: string, id: string): Promise<AlertRow | undefined> {
  await refuseMergedRecord(tx, patientId);
  return row(tx, lockStatement, [tx.clinicId, patientId, id]);
}

const updateStatement = sql<AlertRow>(`
  update medical_alerts m set kind = $3, severity = $4, text = $5, updated_at = $6 where m.clinic_id = $1 and m.id = $2 returning ${COLUMNS}`);

export const updateAlert = (tx: TenantTx, id: string, { kind, severity, text }: AlertFields, now: Date) =>
  getRow(tx, updateStatement, [tx.clinicId, id, kind, severity, text, now]);

const deleteStatement = sql('delete from medical_alerts where clinic_id = $1 and id = $2');

export const deleteAlert = (tx: TenantTx, id: string) => execute(tx, deleteStatement, [tx.clinicId, id]);
