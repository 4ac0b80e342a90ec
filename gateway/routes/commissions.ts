// What doctors earn of payments. The rule of a doctor stands with the doctors.
import { CommissionService } from '@clinic/proto/scheduling/v1/commission_pb.js';
import { z } from 'zod';
import type { Area, Route } from '../http/route.ts';
import { date, limit, month, page, uuid } from './schemas.ts';

const { method } = CommissionService;

/** Percent or money, nothing included. */
const share = z
  .number()
  .min(0)
  .max(99_999_999.99)
  .refine((value) => Math.round(value * 100) / 100 === value, 'must have at most 2 decimals')
  .meta({ multipleOf: 0.01 });

const ofDoctor = {
  path: '/api/doctors/:doctorId/commission-rule',
  access: 'admin',
  rate: 'api',
  notFound: 'Doctor not found',
  errors: ['NOT_FOUND'],
} as const satisfies Partial<Route>;
const doctor = z.object({ doctorId: uuid });

export const commissionRules: Area = {
  prefix: '/api/doctors',
  tag: 'Commission rules',
  about: 'How a doctor shares in payments: a percentage of each, or a fixed amount for each.',
  routes: [
    { ...ofDoctor, method: 'get', rpc: method.getCommissionRule, summary: 'Get the commission rule of a doctor', request: { params: doctor } },
    {
      ...ofDoctor,
      method: 'put',
      rpc: method.setCommissionRule,
      summary: 'Set the commission rule of a doctor',
      request: { params: doctor, body: z.object({ type: z.enum(['percentage', 'fixed']), value: share }) },
      example: { type: 'percentage', value: 30 },
    },
  ],
};

export const commissions: Area = {
  prefix: '/api/commissions',
  tag: 'Commissions',
  about: 'What doctors earn of payments, and what voids take back.',
  routes: [
    {
      method: 'get',
      path: '/api/commissions/ledger',
      rpc: method.listCommissions,
      access: 'admin',
      rate: 'api',
      summary: 'List earned and reversed commissions',
      request: { query: z.object({ from: date.optional(), to: date.optional(), doctor_id: uuid.optional(), page, limit: limit() }) },
    },
    {
      method: 'get',
      path: '/api/commissions/report',
      rpc: method.getCommissionReport,
      access: 'admin',
      rate: 'api',
      summary: 'Sum up a month by doctor',
      request: { query: z.object({ month: month.optional() }) },
    },
  ],
};
