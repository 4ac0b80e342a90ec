// Sends a device to where it subscribes to a calendar.
import { asSystem } from '@clinic/lib/db.ts';
import { fail, found } from '@clinic/lib/errors.ts';
import type { OpenCalendarRequest } from '@clinic/proto/scheduling/v1/calendar_pb.js';
import type { App } from '../app.ts';
import { feedUrls, hashOf } from '../feed-token.ts';
import { subscribeUrl } from '../rules/subscribe-url.ts';
import { findFeedByToken } from '../sql/calendar-feeds.ts';

export async function openCalendar(app: App, request: OpenCalendarRequest) {
  if (!/^[0-9a-f]{64}$/.test(request.token)) fail('NOT_FOUND', 'Calendar not found');
  // As the system: the token is all that we know of who asks.
  const doctor = found(await asSystem(app.db, (tx) => findFeedByToken(tx, hashOf(request.token))), 'Calendar');
  const { webcalUrl } = feedUrls(app, doctor, request.token);
  return { location: subscribeUrl(webcalUrl, request.userAgent) };
}
