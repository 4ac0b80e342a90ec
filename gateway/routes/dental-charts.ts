// Charts and periodontal exams.
import { ChartService } from '@clinic/proto/dental/v1/chart_pb.js';
import { PeriodonticsService } from '@clinic/proto/dental/v1/periodontics_pb.js';
import { z } from 'zod';
import type { Area, Route } from '../http/route.ts';
import { date, instant, limit, maybe, page, text, uuid } from './schemas.ts';

const chart = ChartService.method;
const exams = PeriodonticsService.method;

/** What every route here has in common. */
const dental = { access: 'user', rate: 'api', feature: 'dental', dental: true } as const satisfies Partial<Route>;
const ofPatient = { params: z.object({ patientId: uuid }) };
const paged = { ...ofPatient, query: z.object({ page, limit: limit() }) };
const ofExam = { params: z.object({ patientId: uuid, examId: uuid }) };
const missing: Pick<Route, 'notFound' | 'errors'> = { notFound: 'Patient not found', errors: ['NOT_FOUND'] };

const fdi = z.int().min(11).max(85).meta({ description: 'FDI number: 11 to 48, or 51 to 85 for deciduous teeth' });
const surface = z.enum(['M', 'D', 'O', 'I', 'V', 'L', 'P', 'B', 'F']);
const moment = z.union([date, instant], { error: 'must be a date, YYYY-MM-DD, or an ISO 8601 instant' });
const examOrDay = z.union([uuid, date], { error: 'must be the UUID of an exam or a date, YYYY-MM-DD' });
const millimetres = (least: number) => z.int().min(least).max(15);
const site = z.object({
  site: z.enum(['MV', 'V', 'DV', 'ML', 'L', 'DL']),
  depth: millimetres(0),
  recession: millimetres(-10).nullish(),
  bleeding: z.boolean().nullish(),
  plaque: z.boolean().nullish(),
  suppuration: z.boolean().nullish(),
});
const tooth = z.object({
  tooth: fdi,
  sites: z.array(site).max(6),
  mobility: z.int().min(0).max(3).nullish(),
  furcation: z
    .array(z.object({ side: z.enum(['V', 'L', 'M', 'D']), grade: z.int().min(1).max(3) }))
    .max(3)
    .optional(),
});

export const dentalCharts: Area = {
  prefix: '/api/dental',
  tag: 'Dental charts',
  about: 'Odontograms by FDI numbers, and periodontal exams. Nothing charted is ever changed: a correction is an entry of its own.',
  routes: [
    { ...dental, method: 'get', path: '/api/dental/findings', rpc: chart.listFindings, summary: 'List what can be charted' },
    {
      ...dental,
      ...missing,
      method: 'get',
      path: '/api/dental/charts/:patientId/current',
      rpc: chart.getChart,
      summary: 'Get the chart',
      request: { ...ofPatient, query: z.object({ at: moment.optional() }) },
    },
    {
      ...dental,
      ...missing,
      method: 'get',
      path: '/api/dental/charts/:patientId/current.svg',
      rpc: chart.drawChart,
      summary: 'Draw the chart',
      request: { ...ofPatient, query: z.object({ at: moment.optional() }) },
    },
    {
      ...dental,
      ...missing,
      method: 'get',
      path: '/api/dental/charts/:patientId/history',
      rpc: chart.getChartHistory,
      summary: 'List all entries of the chart',
      request: paged,
    },
    {
      ...dental,
      ...missing,
      method: 'post',
      path: '/api/dental/charts/:patientId/entries',
      rpc: chart.addChartEntry,
      summary: 'Chart a finding',
      request: {
        ...ofPatient,
        body: z.object({
          tooth: fdi,
          surfaces: z.array(surface).max(5).optional(),
          finding: text(50),
          status: z.enum(['existing', 'planned', 'treated']),
          notes: maybe(text(2000)),
          teeth: z.array(fdi).max(16).optional(),
          pontics: z.array(fdi).max(16).optional(),
          replaces: maybe(uuid),
        }),
      },
      status: 201,
      creates: true,
      errors: ['NOT_FOUND', 'CONFLICT'],
      example: { tooth: 16, surfaces: ['M', 'O'], finding: 'caries', status: 'existing', notes: 'Profunda' },
    },
    {
      ...dental,
      method: 'delete',
      path: '/api/dental/charts/:patientId/entries/:entryId',
      rpc: chart.voidChartEntry,
      summary: 'Take an entry back',
      request: { params: z.object({ patientId: uuid, entryId: uuid }), body: z.object({ reason: maybe(text(2000)) }) },
      notFound: 'Chart entry not found',
      errors: ['NOT_FOUND', 'CONFLICT'],
      example: { reason: 'Otro diente' },
    },
    {
      ...dental,
      ...missing,
      method: 'put',
      path: '/api/dental/charts/:patientId/dentition',
      rpc: chart.setDentition,
      summary: 'Say which teeth the patient has',
      request: { ...ofPatient, body: z.object({ dentition: z.enum(['adult', 'child', 'mixed', 'auto']) }) },
      example: { dentition: 'mixed' },
    },
    {
      ...dental,
      ...missing,
      method: 'get',
      path: '/api/dental/charts/:patientId/periodontics',
      rpc: exams.listPeriodontalExams,
      summary: 'List periodontal exams',
      request: paged,
    },
    {
      ...dental,
      ...missing,
      method: 'post',
      path: '/api/dental/charts/:patientId/periodontics',
      rpc: exams.addPeriodontalExam,
      summary: 'Keep a periodontal exam',
      request: { ...ofPatient, body: z.object({ exam_date: maybe(date), teeth: z.array(tooth).min(1).max(52), notes: maybe(text(5000)) }) },
      status: 201,
      creates: true,
      example: {
        teeth: [
          {
            tooth: 16,
            sites: [
              { site: 'MV', depth: 4, recession: 1, bleeding: true, plaque: true },
              { site: 'V', depth: 2 },
            ],
          },
        ],
      },
    },
    {
      ...dental,
      method: 'get',
      path: '/api/dental/charts/:patientId/periodontics/compare',
      rpc: exams.comparePeriodontalExams,
      summary: 'Compare two periodontal exams',
      request: { ...ofPatient, query: z.object({ from: examOrDay, to: examOrDay }) },
      notFound: 'Patient not found',
      errors: ['NOT_FOUND'],
    },
    {
      ...dental,
      method: 'get',
      path: '/api/dental/charts/:patientId/periodontics/:examId.svg',
      rpc: exams.drawPeriodontalExam,
      summary: 'Draw a periodontal exam',
      request: ofExam,
      notFound: 'Periodontal exam not found',
      errors: ['NOT_FOUND'],
    },
    {
      ...dental,
      method: 'get',
      path: '/api/dental/charts/:patientId/periodontics/:examId',
      rpc: exams.getPeriodontalExam,
      summary: 'Get a periodontal exam',
      request: ofExam,
      notFound: 'Periodontal exam not found',
      errors: ['NOT_FOUND'],
    },
  ],
};
