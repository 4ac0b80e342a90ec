// The URLs of a doctor's calendar feed. The first request creates its token; a new token makes the old URLs stop working.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetFeedUrlsRequest, RegenerateFeedUrlsRequest } from '@clinic/proto/scheduling/v1/calendar_pb.js';
import type { App } from '../app.ts';
import { lockFeed, setFeedToken } from './calendar-feeds.sql.ts';
import { decryptFeedToken, feedUrls, newFeedToken } from './feed-token.ts';

export const getFeedUrls = (app: App, request: GetFeedUrlsRequest, call: Call) => findUrls(app, request.doctorId, call, false);

export const regenerateFeedUrls = (app: App, request: RegenerateFeedUrlsRequest, call: Call) => findUrls(app, request.doctorId, call, true);

async function findUrls(app: App, doctorId: string, call: Call, regenerate: boolean) {
  if (!isUuid(doctorId)) fail('NOT_FOUND', 'Doctor not found');
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const doctor = found(await lockFeed(tx, doctorId), 'Doctor');
    const token = regenerate ? undefined : decryptFeedToken(app, doctor);
    if (token) return feedUrls(app, doctor, token);
    const created = newFeedToken(app, doctor);
    await Promise.all([
      setFeedToken(tx, doctor.id, created, app.clock.now()),
      audit(tx, tx.clinicId, call.caller, { action: regenerate ? 'doctor.feed_regenerated' : 'doctor.feed_created', entityId: doctor.id }),
    ]);
    return feedUrls(app, doctor, created.token);
  });
}
