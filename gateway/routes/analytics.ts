import { AnalyticsService } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import { ReportService } from '@clinic/proto/scheduling/v1/report_pb.js';
import { z } from 'zod';
import type { Row } from '../http/route.ts';
import { area } from './area.ts';
import { date, pages, text, uuid } from './schemas.ts';

const { method } = AnalyticsService;
const reports = ReportService.method;

const guards: Row['guards'] = ['revenue_hidden_from_receptionists'];
const period = { from: date.optional(), to: date.optional() };

export const analytics = area({
  prefix: '/api/analytics',
  tag: 'Analytics',
  about: 'Income, occupancy and patients of a period, compared with the period before. Each figure links to the records behind it.',
  all: { scope: 'analytics', feature: 'analytics' },
  routes: [
    { method: 'get', path: '/api/analytics/dashboard', rpc: method.getDashboard, summary: 'Get the dashboard', query: period, guards },
    { method: 'get', path: '/api/analytics/dashboard.svg', rpc: method.drawDashboard, query: period, guards },
    { method: 'get', path: '/api/analytics/dashboard.pdf', rpc: method.printDashboard, query: period, guards },
    { method: 'get', path: '/api/analytics/peak-hours', rpc: method.getPeakHours, summary: 'Get the peak hours', query: period },
    {
      method: 'get',
      path: '/api/analytics/report-subscription',
      rpc: reports.getReportSubscription,
      scope: 'none',
      summary: 'Get the report subscription',
      guards,
    },
    {
      method: 'patch',
      path: '/api/analytics/report-subscription',
      rpc: reports.updateReportSubscription,
      scope: 'none',
      summary: 'Update the report subscription',
      body: { weekly: z.boolean().optional(), monthly: z.boolean().optional() },
      example: { weekly: true, monthly: true },
      guards,
    },
    {
      method: 'get',
      path: '/api/analytics/records',
      rpc: method.listFigureRecords,
      guards,
      summary: 'List the records behind a figure',
      query: {
        ...period,
        figure: z.enum(['collected', 'new_patients', 'returning_patients', 'presented', 'accepted', 'unscheduled', 'receivables']).default('collected'),
        doctor_id: z.union([uuid, z.literal('none')], { error: 'must be a UUID or none' }).optional(),
        procedure: text(100).optional(),
        age: z.enum(['not_due', '1_30', '31_60', '61_90', 'over_90']).optional(),
        ...pages,
      },
    },
  ],
});
