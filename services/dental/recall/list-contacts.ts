// A campaign and a page of its contacts with the names of their patients.
import { readTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { App } from '../app.ts';
import { findPatients } from '../patients/find-patients.ts';
import { type CampaignRow, findCampaignStatement } from './sql/recall-campaigns.sql.ts';
import { listContactsStatement, toProto } from './sql/recall-contacts.sql.ts';

/** Throws NOT_FOUND with `Campaign not found`. */
export async function getCampaign(app: App, call: Call, campaignId: string): Promise<CampaignRow> {
  const { id } = clinicOf(call);
  if (!isUuid(campaignId)) fail('NOT_FOUND', 'Campaign not found');
  return found((await readTenant(app.db, id, findCampaignStatement, [id, campaignId]))[0], 'Campaign');
}

export async function listContacts(app: App, call: Call, campaignId: string, limit: number, offset: number) {
  const { id } = clinicOf(call);
  const [campaign, listed] = await Promise.all([
    getCampaign(app, call, campaignId),
    isUuid(campaignId) ? readTenant(app.db, id, listContactsStatement, [id, campaignId, limit, offset]) : [],
  ]);
  const contacts = listed.filter((contact) => contact.id !== null);
  const patients = await findPatients(
    app,
    call,
    contacts.map(({ patient_id }) => patient_id),
  );
  return { campaign, contacts: contacts.map((contact) => toProto(contact, patients.get(contact.patient_id))), total: listed[0]?.total ?? 0 };
}
