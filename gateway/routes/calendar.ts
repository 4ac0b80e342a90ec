// Calendar feeds of doctors.
import { CalendarService } from '@clinic/proto/scheduling/v1/calendar_pb.js';
import { z } from 'zod';
import type { Area } from '../http/route.ts';
import { uuid } from './schemas.ts';

const { method } = CalendarService;

const doctor = { params: z.object({ doctorId: uuid }) };
const feed = { params: z.object({ token: z.string().regex(/^[0-9a-f]{64}$/) }) };

export const calendar: Area = {
  prefix: '/api/calendar',
  tag: 'Calendar feeds',
  about: 'A doctor subscribes to the own appointments with the phone. Whoever has a feed URL can read it: first names and hours, nothing else.',
  routes: [
    {
      method: 'get',
      path: '/api/calendar/feed-url/:doctorId',
      rpc: method.getFeedUrls,
      access: 'user',
      rate: 'api',
      feature: 'calendar_feeds',
      summary: 'Get the feed URLs of a doctor',
      request: doctor,
      notFound: 'Doctor not found',
      errors: ['NOT_FOUND'],
    },
    {
      method: 'post',
      path: '/api/calendar/feed-url/:doctorId/regenerate',
      rpc: method.regenerateFeedUrls,
      access: 'admin',
      rate: 'api',
      feature: 'calendar_feeds',
      summary: 'Replace the feed URLs of a doctor',
      request: doctor,
      notFound: 'Doctor not found',
      errors: ['NOT_FOUND'],
    },
    {
      method: 'get',
      path: '/api/calendar/open/:token',
      rpc: method.openCalendar,
      access: 'public',
      rate: 'feed',
      summary: 'Open the subscription dialog',
      request: feed,
      headers: { user_agent: 'user-agent' },
      redirect: 'location',
      notFound: 'Calendar not found',
      errors: ['NOT_FOUND'],
    },
    {
      method: 'get',
      path: '/api/calendar/feed/:token.ics',
      rpc: method.getCalendarFeed,
      access: 'public',
      rate: 'feed',
      summary: 'Read a feed',
      request: feed,
      notFound: 'Calendar not found',
      errors: ['NOT_FOUND'],
    },
  ],
};
