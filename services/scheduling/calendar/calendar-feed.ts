// A doctor's calendar, found by its token. The URLs do not work while the clinic is suspended or does not have the feature.
import { randomUUID } from 'node:crypto';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { asSystem } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { addDays, dateIn } from '@clinic/lib/formats/local-date.ts';
import { etagOf } from '@clinic/lib/http/etag.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { GetCalendarFeedRequest, OpenCalendarRequest } from '@clinic/proto/scheduling/v1/calendar_pb.js';
import type { App } from '../app.ts';
import { findZone } from '../clinics/clinics.sql.ts';
import { localDay } from '../clinics/local-day-rules.ts';
import { type FeedWithChange, findFeedByToken, listFeedAppointments } from './calendar-feeds.sql.ts';
import { feedUrls, hashOf } from './feed-token.ts';
import { toIcs } from './ics.ts';

const DAYS_BACK = 7;
const DAYS_AHEAD = 90;

/** The feed for anyone who has the token. */
export async function getCalendarFeed(app: App, request: GetCalendarFeedRequest) {
  const doctor = await findFeed(app, request.token);
  const zone = await findZone(app.db, doctor.clinic_id);
  const today = dateIn(zone, app.clock.now());
  const appointments = await listFeedAppointments(app.db, doctor, addDays(today, -DAYS_BACK), addDays(today, DAYS_AHEAD));
  const content = Buffer.from(toIcs(doctor.full_name, appointments));
  // The start of the day counts as a change, because each day other appointments are in the feed.
  const changes = [doctor.changed_at.getTime(), localDay(zone, today).start, ...appointments.map(({ updated_at }) => updated_at.getTime())];
  return {
    content,
    contentType: 'text/calendar; charset=utf-8',
    etag: etagOf(content),
    lastModified: timestampFromMs(Math.max(...changes)),
  };
}

/** The address at which a device subscribes to a calendar. */
export async function openCalendar(app: App, request: OpenCalendarRequest) {
  const doctor = await findFeed(app, request.token);
  const { webcalUrl } = feedUrls(app, doctor, request.token);
  return { location: subscribeUrl(webcalUrl, request.userAgent) };
}

/** iOS, iPadOS and macOS open webcal links themselves; for all others Google Calendar's dialog adds a calendar by its URL. */
function subscribeUrl(webcalUrl: string, userAgent: string): string {
  const apple = /iPhone|iPad|iPod|Macintosh/.test(userAgent) && !/Android/.test(userAgent);
  return apple ? webcalUrl : `https://calendar.google.com/calendar/r?cid=${encodeURIComponent(webcalUrl)}`;
}

/** Throws NOT_FOUND unless the token is valid. */
async function findFeed(app: App, token: string): Promise<FeedWithChange> {
  if (!/^[0-9a-f]{64}$/.test(token)) fail('NOT_FOUND', 'Calendar not found');
  // As the system: the token is all that the request contains, so the clinic is unknown.
  const doctor = found(await asSystem(app.db, (tx) => findFeedByToken(tx, hashOf(token))), 'Calendar');
  const { isActive, features } = await app.access.resolveClinic({ clinicId: doctor.clinic_id }, callAs(serviceCaller('scheduling', randomUUID())));
  if (!isActive || !features.includes('calendar_feeds')) fail('NOT_FOUND', 'Calendar not found');
  return doctor;
}
