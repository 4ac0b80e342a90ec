// Patients tell of their arrival. The page for people is custom/check-in.ts.
import { CheckInService } from '@clinic/proto/scheduling/v1/check_in_pb.js';
import { z } from 'zod';
import type { Area, Route } from '../http/route.ts';

const { method } = CheckInService;

const holder = {
  access: 'public',
  rate: 'api',
  request: { params: z.object({ token: z.string().regex(/^[\w-]{66}$/) }) },
  notFound: 'Check-in not found',
} as const satisfies Partial<Route>;

export const checkIn: Area = {
  prefix: '/api/check-in',
  tag: 'Check-in',
  about: 'A patient opens the code of a visit on the phone and tells of the arrival. Whoever holds the code sees first name and hour, nothing else.',
  routes: [
    { ...holder, method: 'get', path: '/api/check-in/:token', rpc: method.getCheckIn, summary: 'See whether check-in is open', errors: ['NOT_FOUND'] },
    { ...holder, method: 'post', path: '/api/check-in/:token', rpc: method.checkIn, summary: 'Check in', errors: ['NOT_FOUND', 'CHECK_IN_CLOSED'] },
  ],
};
