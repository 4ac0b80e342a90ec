// What nobody could deliver, for the platform's operators.

import { readSystem } from '@clinic/lib/db/db.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import type { ListDeadLettersRequest } from '@clinic/proto/messaging/v1/outbound_pb.js';
import type { App } from '../app.ts';
import { listDeadLettersStatement, toProto } from './dead-letters.sql.ts';

export async function listDeadLetters(app: Pick<App, 'db'>, request: ListDeadLettersRequest) {
  const { page, limit, offset } = parsePage(request, 50, 500);
  const letters = await readSystem(app.db, listDeadLettersStatement, [limit, offset]);
  return { deadLetters: letters.filter(({ id }) => id !== null).map(toProto), total: letters[0]?.total ?? 0, page, limit };
}
