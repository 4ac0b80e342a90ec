// Tax documents. Their content is encrypted; what is listed, searched and summed has columns of its own.
import { createHash } from 'node:crypto';
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { execute, getRow, row, rows, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { decryptJson, documentContext, encryptJson } from '../encrypted-columns.ts';
import type { Environment, Generation, Kind } from '../rules/kinds.ts';
import type { Content } from '../rules/order.ts';
import { receiverWords } from '../rules/search-words.ts';
import { putWords } from './receiver-words.sql.ts';

export const STATUSES = ['pending', 'processed', 'rejected', 'contingency', 'invalidated'] as const;
type Status = (typeof STATUSES)[number];

export type DocumentRow = {
  id: string;
  kind: Kind;
  generation: Generation;
  environment: Environment;
  nit: string;
  establishment: string;
  point_of_sale: string;
  control_number: string;
  code: string;
  status: Status;
  issued_at: Date;
  issued_on: string;
  patient_id: string | null;
  appointment_id: string | null;
  payment_id: string | null;
  related_id: string | null;
  sales_cents: bigint;
  iva_cents: bigint;
  withheld_cents: bigint;
  operation_cents: bigint;
  to_pay_cents: bigint;
  content_sealed: Buffer;
  seal: string | null;
  processed_at: Date | null;
  answer_code: string | null;
  observations: string[];
  attempts: number;
  contingency_event_id: string | null;
  invalidated_at: Date | null;
  revision: number;
  updated_at: Date;
};

/** Without the content, which is large. */
export type ListedRow = Omit<DocumentRow, 'content_sealed'>;

export const LISTED_COLUMNS = `id, kind, generation, environment, nit, establishment, point_of_sale, control_number, code, status, issued_at, issued_on, patient_id,
  appointment_id, payment_id, related_id, sales_cents, iva_cents, withheld_cents, operation_cents, to_pay_cents, seal, processed_at,
  answer_code, observations, attempts, contingency_event_id, invalidated_at, revision, updated_at`;
export const DOCUMENT_COLUMNS = `${LISTED_COLUMNS}, content_sealed`;

export const decryptContent = (keys: NamedKey[], clinicId: string, { id, content_sealed }: Pick<DocumentRow, 'id' | 'content_sealed'>): Content =>
  decryptJson<Content>(keys, content_sealed, documentContext(clinicId, id));

/** Once the authority has sealed the document, a trigger refuses another hash. */
const hashOf = ({ document, jws }: Content) =>
  createHash('sha256')
    .update(JSON.stringify([document, jws]))
    .digest();

const toContentColumns = (keys: NamedKey[], clinicId: string, id: string, content: Content) => [
  encryptJson(keys, content, documentContext(clinicId, id)),
  hashOf(content),
];

const AMOUNTS = ['sales_cents', 'iva_cents', 'withheld_cents', 'operation_cents', 'to_pay_cents'] as const;
/**
 * Columns of a new document besides its content; the others have their defaults until the document changes. The statement below refers to
 * issued_at and issued_on by their positions.
 */
const NEW = [
  'issued_at',
  'issued_on',
  'id',
  'kind',
  'generation',
  'environment',
  'nit',
  'establishment',
  'point_of_sale',
  'number',
  'control_number',
  'code',
  'patient_id',
  'appointment_id',
  'payment_id',
  'related_id',
  'created_by',
  ...AMOUNTS,
] as const;
type NewDocumentRow = Pick<DocumentRow & { number: bigint; created_by: string }, (typeof NEW)[number]> & { content: Content };

const insertStatement = sql<ListedRow>(`
  insert into dte_documents (clinic_id, content_sealed, document_hash, ${NEW.join(', ')}, year, status, created_at, updated_at)
  values ($1, $2, $3, ${NEW.map((_, index) => `$${index + 4}`).join(', ')}, extract(year from $5::date)::int, 'pending', $4, $4)
  returning ${LISTED_COLUMNS}`);

export async function insertDocument(tx: TenantTx, keys: NamedKey[], one: NewDocumentRow): Promise<ListedRow> {
  const content = toContentColumns(keys, tx.clinicId, one.id, one.content);
  const inserted = await getRow(tx, insertStatement, [tx.clinicId, ...content, ...NEW.map((column) => one[column])]);
  await putWords(tx, keys, one.id, receiverWords(one.content.order.receiver));
  return inserted;
}

const findStatement = sql<DocumentRow>(`select ${DOCUMENT_COLUMNS} from dte_documents where clinic_id = $1 and id = $2`);
// `no key`: PostgreSQL locks the key of the crédito fiscal when a nota de crédito is changed twice in a transaction, and must not wait for this lock.
const lockStatement = sql<DocumentRow>(`select ${DOCUMENT_COLUMNS} from dte_documents where clinic_id = $1 and id = $2 for no key update`);
const lockAllStatement = sql('select from dte_documents where clinic_id = $1 and id = any($2) order by id for no key update');

export const findDocument = (tx: TenantTx, id: string): Promise<DocumentRow | undefined> => row(tx, findStatement, [tx.clinicId, id]);
export const lockDocument = (tx: TenantTx, id: string): Promise<DocumentRow | undefined> => row(tx, lockStatement, [tx.clinicId, id]);
/** Locks several documents. In the order of their ids, so that two transactions cannot deadlock. */
export const lockDocuments = (tx: TenantTx, ids: string[]) => execute(tx, lockAllStatement, [tx.clinicId, ids]);

const putContentStatement = sql(`
  update dte_documents set content_sealed = $3, document_hash = $4, updated_at = $5 where clinic_id = $1 and id = $2`);

/** Replaces the content, when it is signed or changes because of a contingency. */
export const putContent = (tx: TenantTx, keys: NamedKey[], id: string, content: Content, now: Date) =>
  execute(tx, putContentStatement, [tx.clinicId, id, ...toContentColumns(keys, tx.clinicId, id, content), now]);

const correctStatement = sql<ListedRow>(`
  update dte_documents set content_sealed = $3, document_hash = $4, status = 'pending', attempts = 0, observations = '{}', answer_code = null, sales_cents = $5,
    iva_cents = $6, withheld_cents = $7, operation_cents = $8, to_pay_cents = $9, revision = revision + 1, updated_at = $10
  where clinic_id = $1 and id = $2 returning ${LISTED_COLUMNS}`);

type Amounts = Pick<DocumentRow, (typeof AMOUNTS)[number]>;

/** The document must be locked. */
export async function correctDocument(tx: TenantTx, keys: NamedKey[], id: string, content: Content, amounts: Amounts, now: Date) {
  await putWords(tx, keys, id, receiverWords(content.order.receiver));
  return getRow(tx, correctStatement, [tx.clinicId, id, ...toContentColumns(keys, tx.clinicId, id, content), ...AMOUNTS.map((column) => amounts[column]), now]);
}

const settleStatement = sql<ListedRow>(`
  update dte_documents set status = $3, seal = $4, answer_code = $5, observations = $6, claimed_until = null, revision = revision + 1, updated_at = $7,
    attempts = case when $3 = 'contingency' then 0 else attempts end, processed_at = case when $3 = 'processed' then $7::timestamptz end
  where clinic_id = $1 and id = $2 and status in ('pending', 'contingency') returning ${LISTED_COLUMNS}`);

type Settlement = { status: 'processed' | 'rejected' | 'contingency'; seal: string | null; code: string | null; observations: string[] };

/** The document must be locked, and pending or in contingency. */
export const settleDocument = (tx: TenantTx, id: string, { status, seal, code, observations }: Settlement, now: Date) =>
  getRow(tx, settleStatement, [tx.clinicId, id, status, seal, code, observations, now]);

const invalidateStatement = sql<ListedRow>(`
  update dte_documents set status = 'invalidated', invalidated_at = $3, revision = revision + 1, updated_at = $3
  where clinic_id = $1 and id = $2 and status = 'processed' returning ${LISTED_COLUMNS}`);

export const invalidateDocument = (tx: TenantTx, id: string, now: Date): Promise<ListedRow | undefined> => row(tx, invalidateStatement, [tx.clinicId, id, now]);

const INVALIDATION = 'Invalidación ';
const observeStatement = sql(`
  update dte_documents set observations = $4::text[] ||
    array(select one from unnest(observations) with ordinality as given (one, place) where not starts_with(one, $3) order by place)
  where clinic_id = $1 and id = $2`);

/** Replaces the observation about the invalidation of a document, for example `pendiente: …`; undefined removes it. */
export async function observeInvalidation(tx: TenantTx, id: string, observation: string | undefined): Promise<void> {
  await execute(tx, observeStatement, [tx.clinicId, id, INVALIDATION, observation === undefined ? [] : [INVALIDATION + observation]]);
}

const notesStatement = sql<{ sales_cents: bigint }>(`
  select sales_cents from dte_documents where clinic_id = $1 and related_id = $2 and status not in ('rejected', 'invalidated')`);

/** The notas de crédito of a crédito fiscal that are neither rejected nor invalidated. */
export const listNotesOf = (tx: TenantTx, id: string) => rows(tx, notesStatement, [tx.clinicId, id]);
