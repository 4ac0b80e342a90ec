// A doctor's calendar for whoever holds the token.
import { createHash } from 'node:crypto';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { inTenant, rows } from '@clinic/lib/db/db.ts';
import type { GetCalendarFeedRequest } from '@clinic/proto/scheduling/v1/calendar_pb.js';
import type { App } from '../app.ts';
import { findClinic } from '../clinics/clinics.sql.ts';
import { addDays, today } from '../clinics/local-day-rules.ts';
import { listFeedVisits } from './calendar-feeds.sql.ts';
import { findFeed } from './find-feed.ts';
import { toIcs } from './ics-rules.ts';

const DAYS_BACK = 7;
const DAYS_AHEAD = 90;

export async function getCalendarFeed(app: App, request: GetCalendarFeedRequest) {
  const doctor = await findFeed(app, request.token);
  return inTenant(app.db, doctor.clinic_id, async (tx) => {
    const { timezone } = await findClinic(tx, doctor.clinic_id);
    const date = today(timezone, app.clock.now());
    const visits = await rows(tx, listFeedVisits, [doctor.clinic_id, doctor.id, addDays(date, -DAYS_BACK), addDays(date, DAYS_AHEAD)]);
    const content = Buffer.from(toIcs(doctor.full_name, visits));
    const changed = Math.max(...[doctor, ...visits].map(({ updated_at }) => updated_at.getTime()));
    return {
      content,
      contentType: 'text/calendar; charset=utf-8',
      etag: createHash('sha256').update(content).digest('base64url').slice(0, 22),
      lastModified: timestampFromMs(changed),
    };
  });
}
