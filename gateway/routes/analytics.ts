// How the clinic does.
import { AnalyticsService } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import { z } from 'zod';
import type { Area, Route } from '../http/route.ts';
import { date, limit, page, uuid } from './schemas.ts';

const { method } = AnalyticsService;

const gates = { access: 'user', rate: 'api', feature: 'analytics' } as const satisfies Partial<Route>;
const period = { from: date.optional(), to: date.optional() };
const ofPeriod = { request: { query: z.object(period) } };

export const analytics: Area = {
  prefix: '/api/analytics',
  tag: 'Analytics',
  about: 'Money, chairs and patients of a period beside the period before, each figure with a link to its records.',
  routes: [
    { ...gates, ...ofPeriod, method: 'get', path: '/api/analytics/dashboard', rpc: method.getDashboard, summary: 'See the figures of a period' },
    { ...gates, ...ofPeriod, method: 'get', path: '/api/analytics/dashboard.svg', rpc: method.drawDashboard, summary: 'Draw the figures of a period' },
    { ...gates, ...ofPeriod, method: 'get', path: '/api/analytics/dashboard.pdf', rpc: method.printDashboard, summary: 'Print the figures of a period' },
    { ...gates, ...ofPeriod, method: 'get', path: '/api/analytics/peak-hours', rpc: method.getPeakHours, summary: 'See when patients come' },
    {
      ...gates,
      method: 'get',
      path: '/api/analytics/records',
      rpc: method.listFigureRecords,
      summary: 'List what a figure is made of',
      request: {
        query: z.object({
          ...period,
          figure: z.enum(['collected', 'new_patients', 'returning_patients', 'presented', 'accepted', 'unscheduled', 'receivables']).default('collected'),
          doctor_id: z.union([uuid, z.literal('none')], { error: 'must be a UUID or none' }).optional(),
          procedure: z.string().trim().min(1).max(100).optional(),
          age: z.enum(['not_due', '1_30', '31_60', '61_90', 'over_90']).optional(),
          page,
          limit: limit(),
        }),
      },
    },
  ],
};
