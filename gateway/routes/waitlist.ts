import { WaitlistService } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { bookedFor, clockTime, date, maybe, minutes, pages, text, uuid } from './schemas.ts';

const { method } = WaitlistService;

export const waitlist = area({
  prefix: '/api/waitlist',
  tag: 'Waitlist',
  about: 'Patients who wait for an earlier appointment. A slot that becomes free is offered to the first patient it suits and held for 15 minutes.',
  all: { scope: 'waitlist', notFound: 'Waitlist entry not found' },
  routes: [
    {
      method: 'get',
      path: '/api/waitlist',
      rpc: method.listWaitlist,
      summary: 'List the waitlist',
      query: { status: z.enum(['waiting', 'offered', 'booked', 'expired', 'left']).optional(), ...pages },
    },
    {
      method: 'post',
      path: '/api/waitlist',
      rpc: method.joinWaitlist,
      body: {
        ...bookedFor,
        doctorId: maybe(uuid),
        dateFrom: date,
        dateTo: date,
        timeFrom: maybe(clockTime),
        timeTo: maybe(clockTime),
        notes: maybe(text(2000)),
        typeId: maybe(uuid),
        durationMinutes: maybe(minutes),
      },
      creates: true,
      errors: ['NOT_FOUND', 'CONFLICT', 'WAITLIST_ENTRY_EXISTS'],
      example: { patientName: 'María López', patientPhone: '+50370001234', dateFrom: '2026-12-01', dateTo: '2026-12-31', timeFrom: '08:00', timeTo: '12:00' },
    },
    { method: 'delete', path: '/api/waitlist/:id', rpc: method.leaveWaitlist, errors: ['CONFLICT', 'WAITLIST_ENTRY_BOOKED'] },
    {
      method: 'post',
      path: '/api/waitlist/:id/accept',
      rpc: method.acceptOffer,
      summary: 'Accept the offered slot',
      creates: true,
      errors: ['OFFER_NOT_OPEN', 'SLOT_UNAVAILABLE', 'SLOT_TAKEN'],
    },
    { method: 'post', path: '/api/waitlist/:id/decline', rpc: method.declineOffer, summary: 'Decline the offered slot', errors: ['OFFER_NOT_OPEN'] },
  ],
});
