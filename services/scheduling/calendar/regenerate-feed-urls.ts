// Replaces the token of a doctor's calendar feed: the old URLs stop working.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { RegenerateFeedUrlsRequest } from '@clinic/proto/scheduling/v1/calendar_pb.js';
import type { App } from '../app.ts';
import { lockFeed, setFeedToken } from './calendar-feeds.sql.ts';
import { feedUrls, newFeedToken } from './feed-token.ts';

export async function regenerateFeedUrls(app: App, request: RegenerateFeedUrlsRequest, call: Call) {
  const clinic = clinicOf(call);
  if (!isUuid(request.doctorId)) fail('NOT_FOUND', 'Doctor not found');
  return inTenant(app.db, clinic.id, async (tx) => {
    const doctor = found(await lockFeed(tx, request.doctorId), 'Doctor');
    const created = newFeedToken(app, doctor);
    await Promise.all([
      setFeedToken(tx, doctor.id, created, app.clock.now()),
      audit(tx, clinic.id, call.caller, { action: 'doctor.feed_regenerated', entityId: doctor.id }),
    ]);
    return feedUrls(app, doctor, created.token);
  });
}
