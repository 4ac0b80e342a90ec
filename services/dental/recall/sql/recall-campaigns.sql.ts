// Recall campaigns.
import { type Db, getRow, readTenant, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';

export type CampaignFields = {
  name: string;
  procedure_type: string | null;
  recall_interval_days: number;
  message_template: string;
  send_time: string;
  max_attempts: number;
  retry_interval_days: number;
  is_active: boolean;
};
export type CampaignRow = CampaignFields & { clinic_id: string; id: string; revision: number; created_at: Date; updated_at: Date };

const COLUMNS = `clinic_id, id, name, procedure_type, recall_interval_days, message_template, send_time, max_attempts, retry_interval_days, is_active,
  revision, created_at, updated_at`;

const listStatement = sql<CampaignRow>(`select ${COLUMNS} from recall_campaigns where clinic_id = $1 order by created_at desc, id desc`);

/** All campaigns of the clinic, newest first, including inactive ones. */
export const listCampaigns = (db: Db, clinicId: string) => readTenant(db, clinicId, listStatement, [clinicId]);

const findStatement = sql<CampaignRow>(`select ${COLUMNS} from recall_campaigns where clinic_id = $1 and id = $2`);

export const findCampaign = async (db: Db, clinicId: string, id: string) => (await readTenant(db, clinicId, findStatement, [clinicId, id]))[0];

const lockStatement = sql<CampaignRow>(`select ${COLUMNS} from recall_campaigns where clinic_id = $1 and id = $2 for update`);

export const lockCampaign = (tx: TenantTx, id: string) => row(tx, lockStatement, [tx.clinicId, id]);

const insertStatement = sql<CampaignRow>(`
  insert into recall_campaigns (clinic_id, id, name, procedure_type, recall_interval_days, message_template, send_time, max_attempts,
    retry_interval_days, is_active, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)
  returning ${COLUMNS}`);
const updateStatement = sql<CampaignRow>(`
  update recall_campaigns set name = $3, procedure_type = $4, recall_interval_days = $5, message_template = $6, send_time = $7, max_attempts = $8,
    retry_interval_days = $9, is_active = $10, updated_at = $11, revision = revision + 1
  where clinic_id = $1 and id = $2
  returning ${COLUMNS}`);

function valuesOf(clinicId: string, id: string, fields: CampaignFields, now: Date): unknown[] {
  const { name, procedure_type, recall_interval_days, message_template, send_time, max_attempts, retry_interval_days, is_active } = fields;
  return [clinicId, id, name, procedure_type, recall_interval_days, message_template, send_time, max_attempts, retry_interval_days, is_active, now];
}

export const insertCampaign = (tx: TenantTx, id: string, fields: CampaignFields, now: Date) =>
  getRow(tx, insertStatement, valuesOf(tx.clinicId, id, fields, now));

/** The caller has locked the row. */
export const updateCampaign = (tx: TenantTx, id: string, fields: CampaignFields, now: Date) =>
  getRow(tx, updateStatement, valuesOf(tx.clinicId, id, fields, now));
