// Messages and mails that were given up, for the operators of the platform.
import { parsePage } from '@clinic/lib/formats/page.ts';
import type { ListDeadLettersRequest } from '@clinic/proto/messaging/v1/outbound_pb.js';
import type { App } from '../app.ts';
import { listDeadLetters as list, toProto } from './dead-letters.sql.ts';

export async function listDeadLetters(app: Pick<App, 'db'>, request: ListDeadLettersRequest) {
  const page = parsePage(request, 50, 500);
  const { letters, total } = await list(app.db, page);
  return { deadLetters: letters.map(toProto), total, page: page.page, limit: page.limit };
}
