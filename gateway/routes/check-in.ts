import { LINK_TOKEN } from '@clinic/lib/crypto/link-token.ts';
import { CheckInService } from '@clinic/proto/scheduling/v1/check_in_pb.js';
import { z } from 'zod';
import { area } from './area.ts';

const { method } = CheckInService;

export const checkIn = area({
  prefix: '/api/check-in',
  tag: 'Check-in',
  about: 'A patient scans the QR code of an appointment with a phone and checks in. Of the patient, anyone who has the code sees only the first name.',
  all: { scope: 'none', params: { token: z.string().regex(LINK_TOKEN) }, notFound: 'Check-in not found' },
  routes: [
    { method: 'get', path: '/api/check-in/:token', rpc: method.getCheckIn, summary: 'Get the check-in state of an appointment' },
    { method: 'post', path: '/api/check-in/:token', rpc: method.checkIn, errors: ['CHECK_IN_CLOSED'] },
  ],
});
