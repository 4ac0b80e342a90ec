// Lists of tax documents: by filters, for the sales books, and over all clinics for services that rebuild a projection.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { type Db, readSystem, row, rows, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import type { Kind } from '../rules/kinds.ts';
import { queryWords } from '../rules/search-words.ts';
import { DOCUMENT_COLUMNS, type DocumentRow, LISTED_COLUMNS, type ListedRow } from './documents.sql.ts';
import { indexWords } from './receiver-words.sql.ts';

type Filter = {
  from: string | null;
  to: string | null;
  status: string | null;
  kind: string | null;
  patientId: string | null;
  issued: boolean | null;
  search: string | null;
};

// $8 is a pattern with its wildcards escaped; $9 and $10 are the words to find and their positions, $11 their number.
const WHERE = `clinic_id = $1 and ($2::date is null or issued_on >= $2) and ($3::date is null or issued_on <= $3) and ($4::text is null or status = $4)
  and ($5::text is null or kind = $5) and ($6::uuid is null or patient_id = $6) and ($7::boolean is null or (status in ('processed', 'contingency')) = $7)
  and ($8::text is null or control_number like $8 or code like $8
  or id in (select word.document_id from unnest($9::bytea[], $10::int[]) as given (mark, place) join dte_receiver_words word on word.word_index = given.mark
    where word.clinic_id = $1 group by word.document_id having count(distinct given.place) = $11))`;
const listStatement = sql<ListedRow>(`select ${LISTED_COLUMNS} from dte_documents where ${WHERE} order by issued_at desc, id desc limit $12 offset $13`);
const countStatement = sql<{ total: number }>(`select count(*)::int as total from dte_documents where ${WHERE}`);

export async function listDocuments(
  tx: TenantTx,
  keys: NamedKey[],
  filter: Filter,
  limit: number,
  offset: number,
): Promise<{ documents: ListedRow[]; total: number }> {
  const pattern = filter.search === null ? null : `%${filter.search.toUpperCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
  const words = queryWords(filter.search ?? '');
  const { indexes, positions } = indexWords(keys, tx.clinicId, words);
  const { from, to, status, kind, patientId, issued } = filter;
  const values = [tx.clinicId, from, to, status, kind, patientId, issued, pattern, indexes, positions, words.length];
  const [documents, counted] = await Promise.all([rows(tx, listStatement, [...values, limit, offset]), row(tx, countStatement, values)]);
  return { documents, total: counted?.total ?? 0 };
}

const pageStatement = sql<ListedRow & { clinic_id: string }>(`
  select clinic_id, ${LISTED_COLUMNS} from dte_documents where (clinic_id, id) > ($1, $2) order by clinic_id, id limit $3`);

/** A page of the documents of all clinics by clinic and id, after the given ones. */
export const listDocumentsOfAllClinics = (db: Db, page: [afterClinicId: string, afterId: string, limit: number]) => readSystem(db, pageStatement, page);

const bookStatement = sql<DocumentRow>(`
  select ${DOCUMENT_COLUMNS} from dte_documents where clinic_id = $1 and environment = $2 and issued_on >= $3 and issued_on < $4 and kind = any($5::text[])
    and status in ('processed', 'contingency', 'invalidated')
  order by issued_on, control_number`);

/** Documents of a period that belong in a sales book. */
export const listForBook = (tx: TenantTx, environment: string, from: string, before: string, kinds: Kind[]): Promise<DocumentRow[]> =>
  rows(tx, bookStatement, [tx.clinicId, environment, from, before, kinds]);
