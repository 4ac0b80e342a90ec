import { CommissionService } from '@clinic/proto/scheduling/v1/commission_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { date, moneyOrZero, month, pages, uuid } from './schemas.ts';

const { method } = CommissionService;

export const commissionRules = area({
  prefix: '/api/doctors',
  tag: 'Commission rules',
  about: 'The share of payments that a doctor earns: a percentage of each payment, or a fixed amount for each.',
  all: { scope: 'analytics', path: '/api/doctors/:doctorId/commission-rule', notFound: 'Doctor not found' },
  routes: [
    { method: 'get', rpc: method.getCommissionRule },
    {
      method: 'put',
      rpc: method.setCommissionRule,
      body: { type: z.enum(['percentage', 'fixed']), value: moneyOrZero },
      example: { type: 'percentage', value: 30 },
    },
  ],
});

export const commissions = area({
  prefix: '/api/commissions',
  tag: 'Commissions',
  about: 'The commissions that doctors earn from payments, and their reversals when payments are voided.',
  all: { scope: 'analytics' },
  routes: [
    {
      method: 'get',
      path: '/api/commissions/ledger',
      rpc: method.listCommissions,
      query: { from: date.optional(), to: date.optional(), doctor_id: uuid.optional(), ...pages },
    },
    { method: 'get', path: '/api/commissions/report', rpc: method.getCommissionReport, query: { month: month.optional() } },
  ],
});
