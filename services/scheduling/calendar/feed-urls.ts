// The URLs of a doctor's calendar feed. The first request creates its token; a new token makes the old URLs stop working.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found, refuseReadOnly } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetFeedUrlsRequest, RegenerateFeedUrlsRequest } from '@clinic/proto/scheduling/v1/calendar_pb.js';
import type { App } from '../app.ts';
import { findFeedOfDoctor, lockFeed, setFeedToken } from './calendar-feeds.sql.ts';
import { decryptFeedToken, feedUrls, newFeedToken } from './feed-token.ts';

/** Throws READ_ONLY when the token does not exist yet and the clinic is read-only: the gateway lets every GET through. */
export async function getFeedUrls(app: App, { doctorId }: GetFeedUrlsRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const doctor = found(isUuid(doctorId) ? await findFeedOfDoctor(app.db, clinicId, doctorId) : undefined, 'Doctor');
  const token = decryptFeedToken(app, doctor);
  if (token) return feedUrls(app, doctor, token);
  refuseReadOnly(await app.access.resolveClinic({ clinicId }, callAs(serviceCaller('scheduling', call.caller.requestId))));
  return createToken(app, doctorId, call, false);
}

export async function regenerateFeedUrls(app: App, { doctorId }: RegenerateFeedUrlsRequest, call: Call) {
  if (!isUuid(doctorId)) fail('NOT_FOUND', 'Doctor not found');
  return createToken(app, doctorId, call, true);
}

/** Unless `replace` is set, a token that exists already stays. */
async function createToken(app: App, doctorId: string, call: Call, replace: boolean) {
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const doctor = found(await lockFeed(tx, doctorId), 'Doctor');
    const token = replace ? undefined : decryptFeedToken(app, doctor);
    if (token) return feedUrls(app, doctor, token);
    const created = newFeedToken(app, doctor);
    await Promise.all([
      setFeedToken(tx, doctor.id, created, app.clock.now()),
      audit(tx, tx.clinicId, call.caller, { action: replace ? 'doctor.feed_regenerated' : 'doctor.feed_created', entityId: doctor.id }),
    ]);
    return feedUrls(app, doctor, created.token);
  });
}
