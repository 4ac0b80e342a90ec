// Form templates. Each version is a row, which never changes except that it ceases to be the current one.
import { alphabetical } from '@clinic/lib/db/alphabetical.ts';
import { type Db, execute, readTenant, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { readPage } from '@clinic/lib/db/read-page.ts';
import type { Page } from '@clinic/lib/formats/page.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import type { Field } from './form-rules.ts';

export type TemplateContent = { title: string; text: string | null; fields: Field[]; required: boolean; is_active: boolean };
export type TemplateRow = TemplateContent & { id: string; version: number; created_by: string | null; created_at: Date };

export const toProto = (template: TemplateRow) => ({ ...toFields(template), fields: template.fields.map(toFields) });

const COLUMNS = 't.id, t.version, t.title, t.text, t.fields, t.required, t.is_active, t.created_by, t.created_at';
const MATCHES = `t.clinic_id = $1 and t.is_current and ($2::boolean is null or t.is_active = $2) and ($3::boolean is null or t.required = $3)`;
const listStatement = sql<TemplateRow & { total: number }>(`
  select counted.total, page.* from (select count(*)::int as total from form_templates t where ${MATCHES}) counted
  left join lateral (select ${COLUMNS} from form_templates t where ${MATCHES} order by ${alphabetical('t.title')}, t.id limit $4 offset $5) page on true`);

type TemplateFilter = { isActive: boolean | null; required: boolean | null };

export const listTemplates = (db: Db, clinicId: string, { isActive, required }: TemplateFilter, { limit, offset }: Page) =>
  readPage(db, clinicId, listStatement, [clinicId, isActive, required, limit, offset]);

const findStatement = sql<TemplateRow>(`
  select ${COLUMNS} from form_templates t where t.clinic_id = $1 and t.id = $2 and (t.version = $3::int or ($3::int is null and t.is_current))`);

/** The current version when `version` is null. */
export const findTemplate = async (db: Db, clinicId: string, id: string, version: number | null) =>
  (await readTenant(db, clinicId, findStatement, [clinicId, id, version]))[0];

// The first version stands for the template, so that concurrent changes wait for each other.
const lockStatement = sql('select from form_templates where clinic_id = $1 and id = $2 and version = 1 for update');

/** The current version of a template that no concurrent request changes. */
export async function lockTemplate(tx: TenantTx, id: string): Promise<TemplateRow | undefined> {
  const [, template] = await Promise.all([execute(tx, lockStatement, [tx.clinicId, id]), row(tx, findStatement, [tx.clinicId, id, null])]);
  return template;
}

const retireStatement = sql('update form_templates set is_current = false where clinic_id = $1 and id = $2 and version = $3');

export const retireVersion = (tx: TenantTx, { id, version }: TemplateRow) => execute(tx, retireStatement, [tx.clinicId, id, version]);

const insertStatement = sql(`
  insert into form_templates (clinic_id, id, version, is_current, title, text, fields, required, is_active, created_by, created_at)
  values ($1, $2, $3, true, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing`);

/** Does nothing when the version exists. */
export const insertVersion = (tx: TenantTx, { id, version, title, text, fields, required, is_active, created_by, created_at }: TemplateRow) =>
  execute(tx, insertStatement, [tx.clinicId, id, version, title, text, JSON.stringify(fields), required, is_active, created_by, created_at]);

const countStatement = sql<{ count: number }>(
  'select count(*)::int as count from form_templates where clinic_id = $1 and id = any($2::uuid[]) and version = 1',
);

export const countTemplates = async (tx: TenantTx, ids: string[]) => (await row(tx, countStatement, [tx.clinicId, ids]))?.count ?? 0;
