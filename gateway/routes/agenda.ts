// The day at a glance, and by mail in the morning.
import { AgendaService } from '@clinic/proto/scheduling/v1/agenda_pb.js';
import { z } from 'zod';
import type { Area, Route } from '../http/route.ts';
import { date, uuid } from './schemas.ts';

const { method } = AgendaService;

const gates = { access: 'user', rate: 'api', feature: 'daily_agenda' } as const satisfies Partial<Route>;

export const agenda: Area = {
  prefix: '/api/agenda',
  tag: 'Agenda',
  about: 'The day by doctor with visits and gaps, and a mail with it at 07:00 of the clinic for those who ask.',
  routes: [
    {
      ...gates,
      method: 'get',
      path: '/api/agenda',
      rpc: method.getAgenda,
      summary: 'See a day',
      request: { query: z.object({ date: date.optional(), doctor_id: uuid.optional() }) },
      notFound: 'Doctor not found',
      errors: ['NOT_FOUND'],
    },
    { ...gates, method: 'get', path: '/api/agenda/subscription', rpc: method.getAgendaSubscription, summary: 'See whether the mail comes' },
    {
      ...gates,
      method: 'put',
      path: '/api/agenda/subscription',
      rpc: method.setAgendaSubscription,
      summary: 'Ask for the morning mail, or for no more',
      request: { body: z.object({ enabled: z.boolean() }) },
      example: { enabled: true },
    },
  ],
};
