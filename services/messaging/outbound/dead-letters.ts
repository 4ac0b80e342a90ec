// RPCs for operators: messages and mails that were given up, or that failed and will be retried.
import { audit } from '@clinic/lib/audit/audit.ts';
import { asSystem } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { isUuid, NO_CLINIC } from '@clinic/lib/formats/uuid.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { ListDeadLettersRequest, ReplayDeadLetterRequest } from '@clinic/proto/messaging/v1/outbound_pb.js';
import type { App } from '../app.ts';
import { LETTER_STATES, listDeadLetters as list, replayDeadLetter as replay } from './dead-letters.sql.ts';

export async function listDeadLetters(app: Pick<App, 'db'>, request: ListDeadLettersRequest) {
  const page = parsePage(request, 50, 500);
  const { letters, total } = await list(app.db, parseOneOf('state', request.state ?? 'dead', LETTER_STATES), page);
  return { deadLetters: letters.map(toFields), total, page: page.page, limit: page.limit };
}

/** Queues a dead message or mail again. */
export async function replayDeadLetter(app: Pick<App, 'db' | 'clock'>, { id }: ReplayDeadLetterRequest, { caller }: Call) {
  if (!isUuid(id)) fail('NOT_FOUND', 'Dead letter not found');
  return asSystem(app.db, async (tx) => {
    const replayed = found(await replay(tx, id, app.clock.now()), 'Dead letter');
    if (replayed.channel === 'mail') await enqueue(tx, 'send-mail', { id, first: replayed.attempts });
    await audit(tx, replayed.clinic_id ?? NO_CLINIC, caller, { action: 'dead_letter.replayed', entityId: id });
    return toFields(replayed);
  });
}
