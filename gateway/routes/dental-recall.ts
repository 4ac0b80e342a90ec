// Recall campaigns.
import { RecallService } from '@clinic/proto/dental/v1/recall_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { z } from 'zod';
import type { Area, Route } from '../http/route.ts';
import { clearable, limit, maybe, page, text, time, uuid } from './schemas.ts';

const { method } = RecallService;

/** What every route here has in common. */
const dental = { access: 'user', rate: 'api', feature: 'dental', dental: true } as const satisfies Partial<Route>;
const missing: Pick<Route, 'notFound' | 'errors'> = { notFound: 'Campaign not found', errors: ['NOT_FOUND'] };
const one = { params: z.object({ id: uuid }) };

const template = text(1000).meta({ description: 'Variables: {nombre}, {clinica}, {procedimiento}, {ultima_visita}' });
const days = (most: number) => z.int().min(1).max(most);
const attempts = z.int().min(1).max(5);
const example = {
  name: 'Limpieza semestral',
  message_template: 'Hola {nombre}, su última visita a {clinica} fue el {ultima_visita}. ¿Agendamos su {procedimiento}?',
  procedure_type: 'limpieza',
};

export const dentalRecall: Area = {
  prefix: '/api/dental',
  tag: 'Dental recall',
  about: 'Who has not come for long is invited again. Times are UTC-6.',
  routes: [
    { ...dental, method: 'get', path: '/api/dental/recall-campaigns', rpc: method.listRecallCampaigns, summary: 'List recall campaigns' },
    {
      ...dental,
      ...missing,
      method: 'get',
      path: '/api/dental/recall-campaigns/:id',
      rpc: method.getRecallCampaign,
      summary: 'Get a recall campaign',
      request: one,
    },
    {
      ...dental,
      method: 'post',
      path: '/api/dental/recall-campaigns',
      rpc: method.createRecallCampaign,
      summary: 'Add a recall campaign',
      request: {
        body: z.object({
          name: text(200),
          message_template: template,
          procedure_type: maybe(text(200)),
          recall_interval_days: days(3650).nullish(),
          send_time: maybe(time),
          max_attempts: attempts.nullish(),
          retry_interval_days: days(365).nullish(),
          is_active: z.boolean().nullish(),
        }),
      },
      status: 201,
      creates: true,
      errors: ['INVALID_TEMPLATE_VARS'],
      example,
    },
    {
      ...dental,
      method: 'patch',
      path: '/api/dental/recall-campaigns/:id',
      rpc: method.updateRecallCampaign,
      summary: 'Change a recall campaign',
      request: {
        ...one,
        body: z.object({
          name: text(200).optional(),
          message_template: template.optional(),
          procedure_type: clearable(text(200)),
          recall_interval_days: days(3650).optional(),
          send_time: time.optional(),
          max_attempts: attempts.optional(),
          retry_interval_days: days(365).optional(),
          is_active: z.boolean().optional(),
        }),
      },
      notFound: 'Campaign not found',
      errors: ['NOT_FOUND', 'INVALID_TEMPLATE_VARS'],
      example: { max_attempts: 3 },
    },
    {
      ...dental,
      ...missing,
      method: 'delete',
      path: '/api/dental/recall-campaigns/:id',
      rpc: method.deleteRecallCampaign,
      summary: 'Deactivate a recall campaign',
      request: one,
    },
    {
      ...dental,
      ...missing,
      method: 'get',
      path: '/api/dental/recall-campaigns/:id/contacts',
      rpc: method.listRecallContacts,
      summary: 'List whom a campaign wrote to',
      request: { ...one, query: z.object({ page, limit: limit(20, 100) }) },
    },
    {
      ...dental,
      ...missing,
      method: 'get',
      path: '/api/dental/recall-campaigns/:id/eligible',
      rpc: method.listRecallEligible,
      summary: 'List whom a campaign would invite',
      request: { ...one, query: z.object({ page, limit: limit() }) },
    },
    { ...dental, method: 'get', path: '/api/dental/recall-stats', rpc: method.getRecallStats, summary: "Get this month's recall figures" },
    {
      ...dental,
      method: 'patch',
      path: '/api/dental/patients/:id/recall-opt-out',
      rpc: LookupService.method.setRecallOptOut,
      summary: 'Send a patient no recall messages any more',
      request: one,
      notFound: 'Patient not found',
      errors: ['NOT_FOUND'],
    },
  ],
};
