// A page of a campaign's contacts, newest first.
import { parsePage } from '@clinic/lib/formats/page.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { ListRecallContactsRequest } from '@clinic/proto/dental/v1/recall_pb.js';
import type { App } from '../../app.ts';
import { listContacts } from '../list-contacts.ts';

export async function listRecallContacts(app: App, request: ListRecallContactsRequest, call: Call) {
  const { page, limit, offset } = parsePage(request, 20, 100);
  const { contacts, total } = await listContacts(app, call, request.id, limit, offset);
  return { contacts, total, page, limit };
}
