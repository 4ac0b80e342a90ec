// One campaign with its most recent contacts, and all its contacts page by page, newest first.
import { parsePage } from '@clinic/lib/formats/page.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { GetRecallCampaignRequest, ListRecallContactsRequest } from '@clinic/proto/dental/v1/recall_pb.js';
import type { App } from '../../app.ts';
import { listContacts } from '../list-contacts.ts';

const RECENT = 20;

export async function getRecallCampaign(app: App, request: GetRecallCampaignRequest, call: Call) {
  const { campaign, contacts } = await listContacts(app, call, request.id, RECENT, 0);
  return { ...toFields(campaign), recentContacts: contacts };
}

export async function listRecallContacts(app: App, request: ListRecallContactsRequest, call: Call) {
  const { page, limit, offset } = parsePage(request, 20, 100);
  const { contacts, total } = await listContacts(app, call, request.id, limit, offset);
  return { contacts, total, page, limit };
}
