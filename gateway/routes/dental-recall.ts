import { RecallService } from '@clinic/proto/dental/v1/recall_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { clearable, limit, maybe, page, pages, text, time } from './schemas.ts';

const { method } = RecallService;

const template = text(1000).meta({ description: 'Variables: {nombre}, {clinica}, {procedimiento}, {ultima_visita}' });
const days = (most: number) => z.int().min(1).max(most);
const attempts = z.int().min(1).max(5);
const example = {
  name: 'Limpieza semestral',
  message_template: 'Hola {nombre}, su última visita a {clinica} fue el {ultima_visita}. ¿Agendamos su {procedimiento}?',
  procedure_type: 'limpieza',
};

export const dentalRecall = area({
  prefix: '/api/dental',
  tag: 'Dental recall',
  about: 'Campaigns that invite patients who have not had an appointment for a long time. Times are in UTC-6.',
  all: { scope: 'dental', feature: 'dental', dental: true, notFound: 'Campaign not found' },
  routes: [
    { method: 'get', path: '/api/dental/recall-campaigns', rpc: method.listRecallCampaigns },
    { method: 'get', path: '/api/dental/recall-campaigns/:id', rpc: method.getRecallCampaign },
    {
      method: 'post',
      path: '/api/dental/recall-campaigns',
      rpc: method.createRecallCampaign,
      body: {
        name: text(200),
        message_template: template,
        procedure_type: maybe(text(200)),
        recall_interval_days: days(3650).nullish(),
        send_time: maybe(time),
        max_attempts: attempts.nullish(),
        retry_interval_days: days(365).nullish(),
        is_active: z.boolean().nullish(),
      },
      creates: true,
      errors: ['INVALID_TEMPLATE_VARS'],
      example,
    },
    {
      method: 'patch',
      path: '/api/dental/recall-campaigns/:id',
      rpc: method.updateRecallCampaign,
      body: {
        name: text(200).optional(),
        message_template: template.optional(),
        procedure_type: clearable(text(200)),
        recall_interval_days: days(3650).optional(),
        send_time: time.optional(),
        max_attempts: attempts.optional(),
        retry_interval_days: days(365).optional(),
        is_active: z.boolean().optional(),
      },
      errors: ['INVALID_TEMPLATE_VARS'],
      example: { max_attempts: 3 },
    },
    { method: 'delete', path: '/api/dental/recall-campaigns/:id', rpc: method.deleteRecallCampaign },
    { method: 'get', path: '/api/dental/recall-campaigns/:id/contacts', rpc: method.listRecallContacts, query: { page, limit: limit(20, 100) } },
    { method: 'get', path: '/api/dental/recall-campaigns/:id/eligible', rpc: method.listRecallEligible, query: { ...pages } },
    { method: 'get', path: '/api/dental/recall-stats', rpc: method.getRecallStats, summary: 'Get the recall figures of this month' },
    { method: 'patch', path: '/api/dental/patients/:id/recall-opt-out', rpc: LookupService.method.setRecallOptOut, notFound: 'Patient not found' },
  ],
});
