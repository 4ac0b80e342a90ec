// One campaign with its most recent contacts.
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { GetRecallCampaignRequest } from '@clinic/proto/dental/v1/recall_pb.js';
import type { App } from '../../app.ts';
import { listContacts } from '../list-contacts.ts';

const RECENT = 20;

export async function getRecallCampaign(app: App, request: GetRecallCampaignRequest, call: Call) {
  const { campaign, contacts } = await listContacts(app, call, request.id, RECENT, 0);
  return { ...toFields(campaign), recentContacts: contacts };
}
