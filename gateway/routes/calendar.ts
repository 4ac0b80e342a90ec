import { CalendarService } from '@clinic/proto/scheduling/v1/calendar_pb.js';
import { z } from 'zod';
import { area } from './area.ts';

const { method } = CalendarService;

const params = { token: z.string().regex(/^[0-9a-f]{64}$/) };

export const calendar = area({
  prefix: '/api/calendar',
  tag: 'Calendar feeds',
  about:
    'Doctors subscribe to their own appointments with a calendar app. Anyone who has a feed URL can read the feed, which contains only first names and times.',
  all: { scope: 'none', notFound: 'Calendar not found' },
  routes: [
    { method: 'get', path: '/api/calendar/feed-url/:doctorId', rpc: method.getFeedUrls, feature: 'calendar_feeds', notFound: 'Doctor not found' },
    {
      method: 'post',
      path: '/api/calendar/feed-url/:doctorId/regenerate',
      rpc: method.regenerateFeedUrls,
      feature: 'calendar_feeds',
      notFound: 'Doctor not found',
    },
    {
      method: 'get',
      path: '/api/calendar/open/:token',
      rpc: method.openCalendar,
      rate: 'feed',
      summary: 'Open the calendar subscription dialog',
      params,
      headers: { user_agent: 'user-agent' },
      redirect: 'location',
    },
    { method: 'get', path: '/api/calendar/feed/:token.ics', rpc: method.getCalendarFeed, rate: 'feed', summary: 'Get a calendar feed', params },
  ],
});
