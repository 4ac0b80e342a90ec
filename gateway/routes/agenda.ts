import { AgendaService } from '@clinic/proto/scheduling/v1/agenda_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { date, uuid } from './schemas.ts';

const { method } = AgendaService;

export const agenda = area({
  prefix: '/api/agenda',
  tag: 'Agenda',
  about: "The appointments and gaps of a day by doctor, and a daily mail with them, at 07:00 in the clinic's time zone, for users who subscribe.",
  all: { scope: 'appointments', feature: 'daily_agenda' },
  routes: [
    { method: 'get', path: '/api/agenda', rpc: method.getAgenda, query: { date: date.optional(), doctor_id: uuid.optional() }, notFound: 'Doctor not found' },
    { method: 'get', path: '/api/agenda/subscription', rpc: method.getAgendaSubscription, scope: 'none', summary: 'Get the agenda mail subscription' },
    {
      method: 'put',
      path: '/api/agenda/subscription',
      rpc: method.setAgendaSubscription,
      scope: 'none',
      summary: 'Turn the agenda mail on or off',
      body: { enabled: z.boolean() },
      example: { enabled: true },
    },
  ],
});
