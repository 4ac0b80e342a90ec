// Has a message or mail that was given up sent again, on request of an operator.
import { audit } from '@clinic/lib/audit/audit.ts';
import { asSystem } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { ReplayDeadLetterRequest } from '@clinic/proto/messaging/v1/outbound_pb.js';
import { NIL } from 'uuid';
import type { App } from '../app.ts';
import { replayDeadLetter as replay, toProto } from './dead-letters.sql.ts';

export async function replayDeadLetter(app: Pick<App, 'db' | 'clock'>, { id }: ReplayDeadLetterRequest, { caller }: Call) {
  if (!isUuid(id)) fail('NOT_FOUND', 'Dead letter not found');
  const letter = await asSystem(app.db, async (tx) => {
    const replayed = found(await replay(tx, id, app.clock.now()), 'Dead letter');
    if (replayed.channel === 'mail') await enqueue(tx, 'send-mail', { id, first: replayed.attempts });
    await audit(tx, replayed.clinic_id ?? NIL, caller, { action: 'dead_letter.replayed', entityId: id });
    return replayed;
  });
  return toProto(letter);
}
