// Delivers events to consumers without NATS.
import { randomUUID } from 'node:crypto';
import type { Message } from '@bufbuild/protobuf';
import type { Db } from '../db/db.ts';
import type { Consumer } from '../events/events.ts';
import { handleOnce } from '../events/inbox.ts';

/** Handles an event of the clinic as one that has just arrived, by default with an id of its own, so that the same event can be handled again. */
export const deliver = (db: Db, consumer: Consumer, clinicId: string, event: Message, id: string = randomUUID()) =>
  handleOnce(db, consumer, [{ event, envelope: { id, clinicId, subject: '' } }]);
