// A doctor’s appointments as a calendar that a phone subscribes to.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { CalendarService } from '@clinic/proto/scheduling/v1/calendar_pb.js';
import type { App } from '../app.ts';
import { getCalendarFeed, openCalendar } from './calendar-feed.ts';
import { feedTokenContext } from './feed-token.ts';
import { getFeedUrls, regenerateFeedUrls } from './feed-urls.ts';

export const calendar: Module<App> = {
  rpcs: [rpcs(CalendarService, { getFeedUrls, regenerateFeedUrls, getCalendarFeed, openCalendar })],
  encrypted: [{ table: 'doctors', key: ['clinic_id', 'id'], column: 'feed_token_sealed', context: ({ clinic_id, id }) => feedTokenContext(clinic_id, id) }],
};
