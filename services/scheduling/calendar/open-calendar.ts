// The address at which a device subscribes to a calendar.
import type { OpenCalendarRequest } from '@clinic/proto/scheduling/v1/calendar_pb.js';
import type { App } from '../app.ts';
import { feedUrls } from './feed-token.ts';
import { findFeed } from './find-feed.ts';

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
