// The day at a glance, and by mail in the morning.
import { AgendaService } from '@clinic/proto/scheduling/v1/agenda_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { date, uuid } from './schemas.ts';

const { method } = AgendaService;

export const agenda = area({
  prefix: '/api/agenda',
  tag: 'Agenda',
  about: 'The day by doctor with visits and gaps, and a mail with it at 07:00 of the clinic for those who ask.',
  all: { feature: 'daily_agenda' },
  routes: [
    {
      method: 'get',
      path: '/api/agenda',
      rpc: method.getAgenda,
      summary: 'Get the agenda of a day',
      query: { date: date.optional(), doctor_id: uuid.optional() },
      notFound: 'Doctor not found',
    },
    { method: 'get', path: '/api/agenda/subscription', rpc: method.getAgendaSubscription, summary: 'Get the agenda mail subscription' },
    {
      method: 'put',
      path: '/api/agenda/subscription',
      rpc: method.setAgendaSubscription,
      summary: 'Turn the agenda mail on or off',
      body: { enabled: z.boolean() },
      example: { enabled: true },
    },
  ],
});
