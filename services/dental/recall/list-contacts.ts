// The contacts of a campaign with the names of the patients.
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { App } from '../app.ts';
import { findPatients } from '../patients/find-patients.ts';
import { type CampaignRow, findCampaign } from './sql/recall-campaigns.sql.ts';
import { findContactPage, toProto } from './sql/recall-contacts.sql.ts';

/** Throws NOT_FOUND with `Campaign not found`. */
export async function getCampaign(app: App, call: Call, id: string): Promise<CampaignRow> {
  if (!isUuid(id)) fail('NOT_FOUND', 'Campaign not found');
  return found(await findCampaign(app.db, clinicOf(call).id, id), 'Campaign');
}

/** The campaign, and a page of its contacts with the names of the patients. */
export async function listContacts(app: App, call: Call, campaignId: string, limit: number, offset: number) {
  if (!isUuid(campaignId)) fail('NOT_FOUND', 'Campaign not found');
  const [campaign, { rows, total }] = await Promise.all([
    getCampaign(app, call, campaignId),
    findContactPage(app.db, clinicOf(call).id, campaignId, limit, offset),
  ]);
  const patientIds = rows.map(({ patient_id }) => patient_id);
  const patients = await findPatients(app, call, patientIds);
  return { campaign, contacts: rows.map((contact) => toProto(contact, patients.get(contact.patient_id))), total };
}
