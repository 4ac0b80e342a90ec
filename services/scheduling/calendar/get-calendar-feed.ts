// A doctor's calendar for everyone who has the token.
import { createHash } from 'node:crypto';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { addDays, dateIn } from '@clinic/lib/formats/local-date.ts';
import type { GetCalendarFeedRequest } from '@clinic/proto/scheduling/v1/calendar_pb.js';
import type { App } from '../app.ts';
import { readZone } from '../clinics/clinics.sql.ts';
import { listFeedAppointments } from './calendar-feeds.sql.ts';
import { findFeed } from './find-feed.ts';
import { toIcs } from './ics.ts';

const DAYS_BACK = 7;
const DAYS_AHEAD = 90;

export async function getCalendarFeed(app: App, request: GetCalendarFeedRequest) {
  const doctor = await findFeed(app, request.token);
  const today = dateIn(await readZone(app.db, doctor.clinic_id), app.clock.now());
  const appointments = await listFeedAppointments(app.db, doctor, addDays(today, -DAYS_BACK), addDays(today, DAYS_AHEAD));
  const content = Buffer.from(toIcs(doctor.full_name, appointments));
  const changed = Math.max(...[doctor, ...appointments].map(({ updated_at }) => updated_at.getTime()));
  return {
    content,
    contentType: 'text/calendar; charset=utf-8',
    etag: createHash('sha256').update(content).digest('base64url').slice(0, 22),
    lastModified: timestampFromMs(changed),
  };
}
