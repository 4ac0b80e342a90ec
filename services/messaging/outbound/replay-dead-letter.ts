// Has a message or mail that was given up sent again, on request of an operator.
import { asSystem } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import type { ReplayDeadLetterRequest } from '@clinic/proto/messaging/v1/outbound_pb.js';
import type { App } from '../app.ts';
import { replayDeadLetter as replay, toProto } from './dead-letters.sql.ts';

export async function replayDeadLetter(app: Pick<App, 'db' | 'clock' | 'toSend'>, { id }: ReplayDeadLetterRequest) {
  if (!isUuid(id)) fail('NOT_FOUND', 'Dead letter not found');
  const letter = await asSystem(app.db, async (tx) => {
    const replayed = found(await replay(tx, id, app.clock.now()), 'Dead letter');
    if (replayed.channel === 'mail') await enqueue(tx, 'send-mail', { id, first: replayed.attempts });
    return replayed;
  });
  app.toSend.notify();
  return toProto(letter);
}
