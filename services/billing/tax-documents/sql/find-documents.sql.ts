// Lists of tax documents: by filters, for the sales books, and over all clinics for services that rebuild a projection.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { type Db, readSystem, row, rows, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import type { Kind } from '../rules/kinds.ts';
import { isPartOfNumber, queryWords } from '../rules/search-words.ts';
import { DOCUMENT_COLUMNS, type DocumentRow, LISTED_COLUMNS, type ListedRow } from './documents.sql.ts';
import { indexWords } from './receiver-words.sql.ts';

type Filter = {
  from: string | null;
  to: string | null;
  status: string | null;
  kind: string | null;
  patientId: string | null;
  paymentId: string | null;
  issued: boolean | null;
  search: string | null;
};

// $10 is a pattern with its wildcards escaped, if the search may be a part of a number; $11, $12 and $13 are the words to find, their positions and
// the numbers of words in their lists, of which one must be found as a whole.
const WHERE = `clinic_id = $1 and ($2::date is null or issued_on >= $2) and ($3::date is null or issued_on <= $3) and ($4::text is null or status = $4)
  and ($5::text is null or kind = $5) and ($6::uuid is null or patient_id = $6) and ($7::uuid is null or payment_id = $7)
  and ($8::boolean is null or (status in ('processed', 'contingency')) = $8)
  and (not $9::boolean or control_number like $10 or code like $10
  or id in (select word.document_id from unnest($11::bytea[], $12::int[], $13::int[]) as given (mark, place, size)
    join dte_receiver_words word on word.word_index = given.mark
    where word.clinic_id = $1 group by word.document_id, given.size having count(distinct given.place) = given.size))`;
const listStatement = sql<ListedRow>(`select ${LISTED_COLUMNS} from dte_documents where ${WHERE} order by issued_at desc, id desc limit $14 offset $15`);
const countStatement = sql<{ total: number }>(`select count(*)::int as total from dte_documents where ${WHERE}`);

export async function listDocuments(
  tx: TenantTx,
  keys: NamedKey[],
  filter: Filter,
  limit: number,
  offset: number,
): Promise<{ documents: ListedRow[]; total: number }> {
  const { from, to, status, kind, patientId, paymentId, issued, search } = filter;
  const pattern = search !== null && isPartOfNumber(search) ? `%${search.toUpperCase().replaceAll(/[\\%_]/g, '\\$&')}%` : null;
  const { indexes, positions, sizes } = indexWords(keys, tx.clinicId, queryWords(search ?? ''));
  const values = [tx.clinicId, from, to, status, kind, patientId, paymentId, issued, search !== null, pattern, indexes, positions, sizes];
  const [documents, counted] = await Promise.all([rows(tx, listStatement, [...values, limit, offset]), row(tx, countStatement, values)]);
  return { documents, total: counted?.total ?? 0 };
}

const pageStatement = sql<ListedRow & { clinic_id: string }>(`
  select clinic_id, ${LISTED_COLUMNS} from dte_documents where (clinic_id, id) > ($1, $2) order by clinic_id, id limit $3`);

/** A page of the documents of all clinics by clinic and id, after the given ones. */
export const listDocumentsOfAllClinics = (db: Db, page: [afterClinicId: string, afterId: string, limit: number]) => readSystem(db, pageStatement, page);

const bookStatement = sql<DocumentRow>(`
  select ${DOCUMENT_COLUMNS} from dte_documents where clinic_id = $1 and environment = $2 and nit = $3 and issued_on >= $4 and issued_on < $5
    and kind = any($6::text[]) and status in ('processed', 'contingency', 'invalidated')
  order by issued_on, control_number`);

type Issuer = { environment: string; nit: string };

/** Documents of an issuer and a period that belong in a sales book. */
export const listForBook = (tx: TenantTx, { environment, nit }: Issuer, from: string, before: string, kinds: Kind[]): Promise<DocumentRow[]> =>
  rows(tx, bookStatement, [tx.clinicId, environment, nit, from, before, kinds]);
