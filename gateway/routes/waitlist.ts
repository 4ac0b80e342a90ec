// Patients who wait for an earlier slot.
import { WaitlistService } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import { z } from 'zod';
import type { Area } from '../http/route.ts';
import { clockTime, date, limit, maybe, page, phone, text, uuid } from './schemas.ts';

const { method } = WaitlistService;

const one = { params: z.object({ id: uuid }) };

export const waitlist: Area = {
  prefix: '/api/waitlist',
  tag: 'Waitlist',
  about: 'Patients who wait for an earlier slot. What a cancellation frees is offered to the first whom it suits and held for 15 minutes.',
  routes: [
    {
      method: 'get',
      path: '/api/waitlist',
      rpc: method.listWaitlist,
      access: 'user',
      rate: 'api',
      summary: 'List the waitlist',
      request: { query: z.object({ status: z.enum(['waiting', 'offered', 'booked', 'expired', 'left']).optional(), page, limit: limit() }) },
    },
    {
      method: 'post',
      path: '/api/waitlist',
      rpc: method.joinWaitlist,
      access: 'user',
      rate: 'api',
      summary: 'Put a patient on the waitlist',
      request: {
        body: z.object({
          patientId: maybe(uuid),
          patientName: maybe(text(200)),
          patientPhone: maybe(phone),
          doctorId: maybe(uuid),
          dateFrom: date,
          dateTo: date,
          timeFrom: maybe(clockTime),
          timeTo: maybe(clockTime),
          notes: maybe(text(2000)),
        }),
      },
      status: 201,
      creates: true,
      errors: ['NOT_FOUND'],
      example: { patientName: 'María López', patientPhone: '+50370001234', dateFrom: '2026-12-01', dateTo: '2026-12-31', timeFrom: '08:00', timeTo: '12:00' },
    },
    {
      method: 'delete',
      path: '/api/waitlist/:id',
      rpc: method.leaveWaitlist,
      access: 'user',
      rate: 'api',
      summary: 'Leave the waitlist',
      request: one,
      notFound: 'Waitlist entry not found',
      errors: ['NOT_FOUND', 'CONFLICT'],
    },
    {
      method: 'post',
      path: '/api/waitlist/:id/accept',
      rpc: method.acceptOffer,
      access: 'user',
      rate: 'api',
      summary: 'Accept the offered slot',
      request: one,
      notFound: 'Waitlist entry not found',
      status: 201,
      creates: true,
      errors: ['NOT_FOUND', 'OFFER_NOT_OPEN', 'SLOT_UNAVAILABLE', 'SLOT_TAKEN'],
    },
    {
      method: 'post',
      path: '/api/waitlist/:id/decline',
      rpc: method.declineOffer,
      access: 'user',
      rate: 'api',
      summary: 'Decline the offered slot',
      request: one,
      notFound: 'Waitlist entry not found',
      errors: ['NOT_FOUND', 'OFFER_NOT_OPEN'],
    },
  ],
};
