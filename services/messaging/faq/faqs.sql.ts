// FAQ entries: questions that the bot answers without the staff.
import { createBatches } from '@clinic/lib/background/batches.ts';
import { type Db, execute, getRow, readSystem, readTenant, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';

export type FaqRow = {
  clinic_id: string;
  id: string;
  category: string;
  question: string;
  answer: string;
  keywords: string[];
  is_active: boolean;
  created_at: Date;
};
export type FaqFields = Pick<FaqRow, 'category' | 'question' | 'answer' | 'keywords' | 'is_active'>;

const COLUMNS = 'clinic_id, id, category, question, answer, keywords, is_active, created_at';

const listActiveStatement = sql<FaqRow>(`select ${COLUMNS} from faqs where clinic_id = $1 and is_active order by category, created_at, id`);

/** In one round trip, without a transaction. */
export const listActiveFaqsOf = (db: Db, clinicId: string) => readTenant(db, clinicId, listActiveStatement, [clinicId]);

const listActiveOfManyStatement = sql<FaqRow>(`
  select ${COLUMNS} from faqs where clinic_id = any($1::uuid[]) and is_active order by category, created_at, id`);

/** Reads the active entries of a clinic. Concurrent reads share one statement, as the system because they are of several clinics. */
export const createFaqReader = (db: Db) =>
  createBatches<string, FaqRow[]>({ size: 100 }, async (clinicIds) => {
    const found = Map.groupBy(await readSystem(db, listActiveOfManyStatement, [clinicIds]), (faq) => faq.clinic_id);
    return clinicIds.map((clinicId) => found.get(clinicId) ?? []);
  });

const lockStatement = sql<FaqRow>(`select ${COLUMNS} from faqs where clinic_id = $1 and id = $2 for update`);

export const lockFaq = (tx: TenantTx, id: string) => row(tx, lockStatement, [tx.clinicId, id]);

const insertStatement = sql<FaqRow>(`
  insert into faqs (clinic_id, id, category, question, answer, keywords, is_active, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $8) returning ${COLUMNS}`);

export const insertFaq = (tx: TenantTx, id: string, { category, question, answer, keywords, is_active }: FaqFields, now: Date) =>
  getRow(tx, insertStatement, [tx.clinicId, id, category, question, answer, keywords, is_active, now]);

const updateStatement = sql<FaqRow>(`
  update faqs set category = $3, question = $4, answer = $5, keywords = $6, is_active = $7, updated_at = $8 where clinic_id = $1 and id = $2 returning ${COLUMNS}`);

/** The caller must have locked the entry. */
export const updateFaq = (tx: TenantTx, id: string, { category, question, answer, keywords, is_active }: FaqFields, now: Date) =>
  getRow(tx, updateStatement, [tx.clinicId, id, category, question, answer, keywords, is_active, now]);

const deleteStatement = sql('delete from faqs where clinic_id = $1 and id = $2');

export const deleteFaq = async (tx: TenantTx, id: string) => (await execute(tx, deleteStatement, [tx.clinicId, id])) > 0;
