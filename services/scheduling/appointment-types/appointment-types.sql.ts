// Appointment types with the doctors who offer them.
import { alphabetical } from '@clinic/lib/db/alphabetical.ts';
import { type Db, execute, readTenant, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import type { ResourceKind } from '../resources/resources.sql.ts';

export type TypeFields = {
  name: string;
  duration_minutes: number;
  color: string;
  resource_kind: ResourceKind | null;
  online_bookable: boolean;
  /** Null: that of the clinic. The same applies to the text. */
  cancellation_notice_hours: number | null;
  cancellation_text: string | null;
  /** Templates of the forms that patients sign for appointments of this type. */
  form_template_ids: string[];
  /** Empty: every doctor. */
  doctor_ids: string[];
};
type TypeRow = TypeFields & { clinic_id: string; id: string; created_at: Date; updated_at: Date };

const COLUMNS = `t.clinic_id, t.id, t.name, t.duration_minutes, t.color, t.resource_kind, t.online_bookable, t.cancellation_notice_hours, t.cancellation_text, t.form_template_ids, t.created_at, t.updated_at,
  array(select o.doctor_id from appointment_type_doctors o where o.clinic_id = t.clinic_id and o.type_id = t.id order by o.doctor_id) as doctor_ids`;

/** Whether a doctor offers the type `t`. The argument is SQL. */
export const offeredBy = (doctorId: string) => `(not exists (select from appointment_type_doctors o where o.clinic_id = t.clinic_id and o.type_id = t.id)
    or exists (select from appointment_type_doctors o where o.clinic_id = t.clinic_id and o.type_id = t.id and o.doctor_id = ${doctorId}))`;

const MATCHES = `t.clinic_id = $1 and t.is_active and ($4::boolean is null or t.online_bookable = $4) and ($5::uuid is null or ${offeredBy('$5')})`;
const listStatement = sql<TypeRow & { total: number }>(`
  select counted.total, page.* from (select count(*)::int as total from appointment_types t where ${MATCHES}) counted
  left join lateral (select ${COLUMNS} from appointment_types t where ${MATCHES} order by ${alphabetical('t.name')}, t.id limit $2 offset $3) page on true`);

type Filter = { onlineBookable: boolean | null; doctorId: string | null };

export const listTypes = (db: Db, clinicId: string, { onlineBookable, doctorId }: Filter, limit: number, offset: number) =>
  readPage(db, clinicId, listStatement, [clinicId, limit, offset, onlineBookable, doctorId]);

const findStatement = sql<TypeRow>(`select ${COLUMNS} from appointment_types t where t.clinic_id = $1 and t.id = $2 and t.is_active`);

export const findType = (tx: TenantTx, id: string) => row(tx, findStatement, [tx.clinicId, id]);

export type OfferedType = { duration_minutes: number; resource_kind: ResourceKind | null; offered: boolean };

const findOfferedStatement = sql<OfferedType>(`
  select t.duration_minutes, t.resource_kind, ${offeredBy('$3::uuid')} or not exists (select from doctors d where d.clinic_id = $1 and d.id = $3) as offered
  from appointment_types t where t.clinic_id = $1 and t.id = $2 and t.is_active`);

/**
 * The needs of a type, and whether a doctor offers it: also true for an unknown doctor, whom the caller reports. Undefined when the type is unknown or
 * deleted.
 */
export const findOfferedTypeIn = (tx: TenantTx, id: string, doctorId: string) => row(tx, findOfferedStatement, [tx.clinicId, id, doctorId]);

/** findOfferedTypeIn() outside of a transaction. */
export const findOfferedType = async (db: Db, clinicId: string, id: string, doctorId: string) =>
  (await readTenant(db, clinicId, findOfferedStatement, [clinicId, id, doctorId]))[0];

const insertStatement = sql(`
  insert into appointment_types (clinic_id, id, name, duration_minutes, color, resource_kind, online_bookable, cancellation_notice_hours, cancellation_text,
    form_template_ids, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)`);
const updateStatement = sql(`
  update appointment_types set name = $3, duration_minutes = $4, color = $5, resource_kind = $6, online_bookable = $7, cancellation_notice_hours = $8, cancellation_text = $9,
    form_template_ids = $10, updated_at = $11
  where clinic_id = $1 and id = $2`);

/** Violates appointment_types_name_unique when the clinic has one with this name. */
export const insertType = (tx: TenantTx, id: string, type: TypeFields, now: Date) => execute(tx, insertStatement, valuesOf(tx, id, type, now));

/** Violates appointment_types_name_unique when the clinic has another one with this name. */
export const updateType = (tx: TenantTx, id: string, type: TypeFields, now: Date) => execute(tx, updateStatement, valuesOf(tx, id, type, now));

function valuesOf(tx: TenantTx, id: string, type: TypeFields, now: Date) {
  const { name, duration_minutes, color, resource_kind, online_bookable, cancellation_notice_hours, cancellation_text, form_template_ids } = type;
  const policy = [cancellation_notice_hours, cancellation_text];
  return [tx.clinicId, id, name, duration_minutes, color, resource_kind, online_bookable, ...policy, form_template_ids, now];
}

const lockStatement = sql('select from appointment_types where clinic_id = $1 and id = $2 for update');

export async function lockType(tx: TenantTx, id: string): Promise<TypeRow | undefined> {
  const [, found] = await Promise.all([execute(tx, lockStatement, [tx.clinicId, id]), findType(tx, id)]);
  return found;
}

const deleteDoctorsStatement = sql('delete from appointment_type_doctors where clinic_id = $1 and type_id = $2');
const insertDoctorsStatement = sql(`
  insert into appointment_type_doctors (clinic_id, type_id, doctor_id)
  select $1, $2, d.id from doctors d where d.clinic_id = $1 and d.id = any($3::uuid[])`);

/** Returns how many of the ids are doctors of the clinic. */
export async function replaceTypeDoctors(tx: TenantTx, typeId: string, doctorIds: string[]): Promise<number> {
  const [, inserted] = await Promise.all([
    execute(tx, deleteDoctorsStatement, [tx.clinicId, typeId]),
    execute(tx, insertDoctorsStatement, [tx.clinicId, typeId, doctorIds]),
  ]);
  return inserted;
}

const deactivateStatement = sql('update appointment_types set is_active = false, updated_at = $3 where clinic_id = $1 and id = $2 and is_active');

/** Returns whether the clinic had the type. */
export const deactivateType = async (tx: TenantTx, id: string, now: Date) => (await execute(tx, deactivateStatement, [tx.clinicId, id, now])) === 1;
