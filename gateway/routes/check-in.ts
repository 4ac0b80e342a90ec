import { CheckInService } from '@clinic/proto/scheduling/v1/check_in_pb.js';
import { z } from 'zod';
import { area } from './area.ts';

const { method } = CheckInService;

export const checkIn = area({
  prefix: '/api/check-in',
  tag: 'Check-in',
  about: 'A patient opens the QR code of an appointment on the phone and checks in. Whoever has the code sees the first name and the time only.',
  all: { scope: 'none', params: { token: z.string().regex(/^[\w-]{66}$/) }, notFound: 'Check-in not found' },
  routes: [
    { method: 'get', path: '/api/check-in/:token', rpc: method.getCheckIn, summary: 'Get the check-in state of an appointment' },
    { method: 'post', path: '/api/check-in/:token', rpc: method.checkIn, errors: ['CHECK_IN_CLOSED'] },
  ],
});
