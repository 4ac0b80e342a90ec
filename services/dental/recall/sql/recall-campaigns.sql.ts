// Recall campaigns.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Db, readTenant, row, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import type { RecallCampaignSchema } from '@clinic/proto/dental/v1/recall_pb.js';

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

export function toProto(campaign: CampaignRow): Omit<MessageInitShape<typeof RecallCampaignSchema>, '$typeName'> {
  return {
    id: campaign.id,
    clinicId: campaign.clinic_id,
    name: campaign.name,
    procedureType: campaign.procedure_type ?? undefined,
    recallIntervalDays: campaign.recall_interval_days,
    messageTemplate: campaign.message_template,
    sendTime: campaign.send_time,
    maxAttempts: campaign.max_attempts,
    retryIntervalDays: campaign.retry_interval_days,
    isActive: campaign.is_active,
    createdAt: timestampFromDate(campaign.created_at),
    updatedAt: timestampFromDate(campaign.updated_at),
  };
}

const COLUMNS = `clinic_id, id, name, procedure_type, recall_interval_days, message_template, send_time, max_attempts, retry_interval_days, is_active,
  revision, created_at, updated_at`;

const listStatement = sql<CampaignRow>(`select ${COLUMNS} from recall_campaigns where clinic_id = $1 order by created_at desc, id desc`);

/** All campaigns of the clinic, newest first, including inactive ones. */
export function listCampaigns(db: Db, clinicId: string): Promise<CampaignRow[]> {
  return readTenant(db, clinicId, listStatement, [clinicId]);
}

const findStatement = sql<CampaignRow>(`select ${COLUMNS} from recall_campaigns where clinic_id = $1 and id = $2`);

export async function findCampaign(db: Db, clinicId: string, id: string): Promise<CampaignRow | undefined> {
  return (await readTenant(db, clinicId, findStatement, [clinicId, id]))[0];
}

const lockStatement = sql<CampaignRow>(`select ${COLUMNS} from recall_campaigns where clinic_id = $1 and id = $2 for update`);

export function lockCampaign(tx: TenantTx, id: string): Promise<CampaignRow | undefined> {
  return row(tx, lockStatement, [tx.clinicId, id]);
}

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

export async function insertCampaign(tx: TenantTx, id: string, fields: CampaignFields, now: Date): Promise<CampaignRow> {
  return (await row(tx, insertStatement, valuesOf(tx.clinicId, id, fields, now))) as CampaignRow;
}

export async function updateCampaign(tx: TenantTx, id: string, fields: CampaignFields, now: Date): Promise<CampaignRow> {
  return (await row(tx, updateStatement, valuesOf(tx.clinicId, id, fields, now))) as CampaignRow; // the caller has locked the row
}
