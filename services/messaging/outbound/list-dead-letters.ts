// Messages and mails that were given up, or that failed and will be tried again, for the operators of the platform.
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import type { ListDeadLettersRequest } from '@clinic/proto/messaging/v1/outbound_pb.js';
import type { App } from '../app.ts';
import { LETTER_STATES, listDeadLetters as list, toProto } from './dead-letters.sql.ts';

export async function listDeadLetters(app: Pick<App, 'db'>, request: ListDeadLettersRequest) {
  const page = parsePage(request, 50, 500);
  const { letters, total } = await list(app.db, parseOneOf('state', request.state ?? 'dead', LETTER_STATES), page);
  return { deadLetters: letters.map(toProto), total, page: page.page, limit: page.limit };
}
