// Forms of patients, each with the version of the template that it was created from.
import { alphabetical } from '@clinic/lib/db/alphabetical.ts';
import { type Db, execute, getRow, readTenant, row, rows, type SystemTx, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import type { Page } from '@clinic/lib/formats/page.ts';
import { recordsOf, shownPatientOf } from '../patient-records/records.sql.ts';
import type { Answers, SignedForm } from './form-rules.ts';

/** `patient_id` is the record for which the form was created; `shown_patient_id` is the patient into whom it was merged, or that record itself. */
export type FormRow = Omit<SignedForm, 'signer_name' | 'signed_at'> & {
  shown_patient_id: string;
  patient_name: string;
  appointment_id: string | null;
  signer_name: string | null;
  signed_at: Date | null;
  hash: Buffer | null;
  /** The PDF among the files of the patient, once it is stored. */
  file_id: string | null;
  created_by: string | null;
  created_at: Date;
  updated_at: Date;
};

const COLUMNS = `f.id, f.patient_id, p.id as shown_patient_id, p.full_name as patient_name, f.template_id, f.template_version, t.title, t.text, t.fields,
  f.answers, f.appointment_id, f.signer_name, f.signed_at, f.hash, f.file_id, f.created_by, f.created_at, f.updated_at`;
const JOINS = `join form_templates t on t.clinic_id = f.clinic_id and t.id = f.template_id and t.version = f.template_version
  ${shownPatientOf('f')}`;

/** The arguments are SQL. */
const ofPatient = (form: string, clinic: string, patient: string) => `${form}.patient_id = any(${recordsOf(clinic, patient)})`;
const OF_PATIENT = ofPatient('f', '$1', '$2');

type FormFilter = { patientId: string | null; templateId: string | null; appointmentId: string | null; status: 'open' | 'signed' | null };

const MATCHES = `f.clinic_id = $1 and ($2::uuid is null or ${OF_PATIENT}) and ($3::uuid is null or f.template_id = $3)
  and ($4::uuid is null or f.appointment_id = $4) and ($5::text is null or ($5 = 'signed') = (f.signed_at is not null))`;
const listStatement = sql<FormRow & { total: number }>(`
  select counted.total, page.* from (select count(*)::int as total from forms f where ${MATCHES}) counted
  left join lateral (select ${COLUMNS} from forms f ${JOINS} where ${MATCHES} order by f.created_at desc, f.id desc limit $6 offset $7) page on true`);

export const listForms = (db: Db, clinicId: string, { patientId, templateId, appointmentId, status }: FormFilter, { limit, offset }: Page) =>
  readPage(db, clinicId, listStatement, [clinicId, patientId, templateId, appointmentId, status, limit, offset]);

const findStatement = sql<FormRow>(`select ${COLUMNS} from forms f ${JOINS} where f.clinic_id = $1 and f.id = $2`);

export const findForm = (tx: TenantTx, id: string): Promise<FormRow | undefined> => row(tx, findStatement, [tx.clinicId, id]);

const findOfPatientStatement = sql<FormRow>(`select ${COLUMNS} from forms f ${JOINS} where f.clinic_id = $1 and ${OF_PATIENT} and f.id = $3`);

/** Undefined when it is no form of the patient. */
export const findFormOf = (tx: TenantTx, patientId: string, id: string): Promise<FormRow | undefined> =>
  row(tx, findOfPatientStatement, [tx.clinicId, patientId, id]);

const lockStatement = sql('select from forms where clinic_id = $1 and id = $2 for update');

export async function lockForm(tx: TenantTx, id: string): Promise<FormRow | undefined> {
  const [, form] = await Promise.all([execute(tx, lockStatement, [tx.clinicId, id]), findForm(tx, id)]);
  return form;
}

// The index forms_open decides which of concurrent requests creates it.
const insertStatement = sql(`
  insert into forms as f (clinic_id, id, patient_id, template_id, template_version, appointment_id, created_by, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $8) on conflict (clinic_id, patient_id, template_id) where signed_at is null
  do update set appointment_id = excluded.appointment_id, updated_at = excluded.updated_at where f.appointment_id is distinct from excluded.appointment_id
    and excluded.appointment_id is not null`);
const findOpenStatement = sql<FormRow>(`
  select ${COLUMNS} from forms f ${JOINS} where f.clinic_id = $1 and f.patient_id = $2 and f.template_id = $3 and f.signed_at is null`);

type NewForm = Pick<FormRow, 'id' | 'patient_id' | 'template_id' | 'template_version' | 'appointment_id' | 'created_by' | 'created_at'>;

/** The new form, or the open form of the template, which then belongs to the given appointment. */
export async function insertForm(tx: TenantTx, form: NewForm): Promise<FormRow> {
  const { id, patient_id, template_id, template_version, appointment_id, created_by, created_at } = form;
  await execute(tx, insertStatement, [tx.clinicId, id, patient_id, template_id, template_version, appointment_id, created_by, created_at]);
  return getRow(tx, findOpenStatement, [tx.clinicId, patient_id, template_id]);
}

const answerStatement = sql('update forms set answers = answers || $3::jsonb, updated_at = $4 where clinic_id = $1 and id = $2');

/** Answers to other fields stay. */
export const saveAnswers = (tx: TenantTx, id: string, answers: Answers, now: Date) =>
  execute(tx, answerStatement, [tx.clinicId, id, JSON.stringify(answers), now]);

const signStatement = sql(`
  update forms set answers = $3::jsonb, signer_name = $4, signed_at = $5, updated_at = $5, hash = $6 where clinic_id = $1 and id = $2`);

export const setSigned = (tx: TenantTx, id: string, { answers, signer_name, signed_at, hash }: SignedForm & { hash: Buffer }) =>
  execute(tx, signStatement, [tx.clinicId, id, JSON.stringify(answers), signer_name, signed_at, hash]);

const fileStatement = sql('update forms set file_id = $3 where clinic_id = $1 and id = $2 and signed_at is not null and file_id is null');

/** False when the form has a file. */
export const setFile = async (tx: TenantTx, id: string, fileId: string): Promise<boolean> =>
  (await execute(tx, fileStatement, [tx.clinicId, id, fileId])) === 1;

const withoutFileStatement = sql<{ clinic_id: string; id: string }>(`
  select clinic_id, id from forms where signed_at is not null and file_id is null and signed_at < $1 order by signed_at limit $2`);

/** Of all clinics. */
export const listWithoutFile = (tx: SystemTx, signedBefore: Date, limit: number) => rows(tx, withoutFileStatement, [signedBefore, limit]);

const deleteStatement = sql('delete from forms where clinic_id = $1 and id = $2 and signed_at is null');

export const deleteOpenForm = (tx: TenantTx, id: string) => execute(tx, deleteStatement, [tx.clinicId, id]);

const nextStatement = sql<{ id: string }>(`
  select f.id from forms f where f.clinic_id = $1 and ${OF_PATIENT} and f.signed_at is null order by f.created_at, f.id limit 1`);

/** The oldest open form of a patient. */
export const findNextForm = async (tx: TenantTx, patientId: string) => (await row(tx, nextStatement, [tx.clinicId, patientId]))?.id;

const purgeStatement = sql(`
  delete from forms where (clinic_id, id) in (select clinic_id, id from forms where signed_at is null and updated_at < $1 limit $2)`);

/** Deletes open forms of all clinics that nobody has touched since. */
export const purgeOpenForms = (tx: SystemTx, before: Date, limit: number): Promise<number> => execute(tx, purgeStatement, [before, limit]);

export type MissingForm = { template_id: string; title: string; form_id: string | null };

/**
 * A column `missing_forms`: the forms that the patient of an appointment still has to sign, and all open forms. A required template must have been
 * signed once, and a template of the appointment's type since the appointment was booked. `a` is the table `appointments`.
 */
export const missingFormsOf = (a: string) => `
  (select coalesce(json_agg(json_build_object('template_id', t.id, 'title', t.title, 'form_id', o.id) order by ${alphabetical('t.title')}, t.id), '[]')
   from form_templates t
   left join appointment_types y on y.clinic_id = ${a}.clinic_id and y.id = ${a}.type_id
   left join lateral (
     select f.id from forms f
     where f.clinic_id = t.clinic_id and ${ofPatient('f', `${a}.clinic_id`, `${a}.patient_id`)} and f.template_id = t.id and f.signed_at is null limit 1
   ) o on true
   where t.clinic_id = ${a}.clinic_id and t.is_current and (o.id is not null or t.is_active and (t.required or t.id = any(y.form_template_ids)) and not exists (
     select from forms f where f.clinic_id = t.clinic_id and ${ofPatient('f', `${a}.clinic_id`, `${a}.patient_id`)} and f.template_id = t.id
       and f.signed_at >= case when t.id = any(y.form_template_ids) then ${a}.created_at else '-infinity' end))) as missing_forms`;

const missingStatement = sql<{ missing_forms: MissingForm[] }>(`select ${missingFormsOf('a')} from appointments a where a.clinic_id = $1 and a.id = $2`);

export const findMissingForms = async (tx: TenantTx, appointmentId: string) =>
  (await row(tx, missingStatement, [tx.clinicId, appointmentId]))?.missing_forms ?? [];

export const countMissingForms = async (db: Db, clinicId: string, appointmentId: string) =>
  (await readTenant(db, clinicId, missingStatement, [clinicId, appointmentId]))[0]?.missing_forms.length ?? 0;

const lockAppointmentStatement = sql('select from appointments where clinic_id = $1 and id = $2 for key share');
const lockPatientStatement = sql<{ id: string }>(`
  select p.id from appointments a join patients p on p.clinic_id = a.clinic_id and p.id = a.patient_id
  where a.clinic_id = $1 and a.id = $2 and a.status in ('pending', 'confirmed') and p.erased_at is null for key share of p`);

/**
 * The id of the patient, locked after the appointment, as a merge does. Undefined when the appointment is unknown, completed, missed or cancelled, or its
 * patient was erased.
 */
export async function lockPatientOf(tx: TenantTx, appointmentId: string): Promise<string | undefined> {
  const values = [tx.clinicId, appointmentId];
  const [, patient] = await Promise.all([execute(tx, lockAppointmentStatement, values), row(tx, lockPatientStatement, values)]);
  return patient?.id;
}
