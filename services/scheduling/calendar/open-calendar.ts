// The address at which a device subscribes to a calendar.
import type { OpenCalendarRequest } from '@clinic/proto/scheduling/v1/calendar_pb.js';
import type { App } from '../app.ts';
import { feedUrls } from './feed-token.ts';
import { findFeed } from './find-feed.ts';
import { subscribeUrl } from './subscribe-url-rules.ts';

export async function openCalendar(app: App, request: OpenCalendarRequest) {
  const doctor = await findFeed(app, request.token);
  const { webcalUrl } = feedUrls(app, doctor, request.token);
  return { location: subscribeUrl(webcalUrl, request.userAgent) };
}
