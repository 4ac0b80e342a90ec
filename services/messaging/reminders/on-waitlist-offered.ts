// A slot is held for a patient of the waitlist: stores the offer to be sent.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { subscribe } from '@clinic/lib/events/events.ts';
import { WaitlistOfferedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { sendLater } from '../outbound/send.ts';
import { startOffer } from './prepare-offer.ts';
import { hasChannel } from './reminders.sql.ts';

export const onWaitlistOffered = (app: App) =>
  subscribe('waitlist-offered', 'scheduling', WaitlistOfferedSchema, async (tx, { entryId, offerId, expiresAt, startsAt }, { clinicId }) => {
    const now = app.clock.now();
    if (!expiresAt || timestampDate(expiresAt) <= now) return;
    if (!(await hasChannel(tx, clinicId))) {
      await startOffer(app, clinicId, { entryId, offerId }); // the staff may call the patient
      return;
    }
    await sendLater(tx, clinicId, { kind: 'waitlist', entryId, offerId }, { priority: 0, neededBy: startsAt ? timestampDate(startsAt) : null }, now);
  });
