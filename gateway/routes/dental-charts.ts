import { isTooth, TOOTH_RULE } from '@clinic/lib/formats/teeth.ts';
import { ChartService } from '@clinic/proto/dental/v1/chart_pb.js';
import { PeriodonticsService } from '@clinic/proto/dental/v1/periodontics_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { date, instant, maybe, pages, text, uuid } from './schemas.ts';

const chart = ChartService.method;
const exams = PeriodonticsService.method;

const fdi = z
  .int()
  .min(11, { abort: true })
  .max(85, { abort: true })
  .refine(isTooth, TOOTH_RULE)
  .meta({ description: 'FDI number: 11 to 48, or 51 to 85 for deciduous teeth' });
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
    .nullish(),
});

export const dentalCharts = area({
  prefix: '/api/dental',
  tag: 'Dental charts',
  about: 'Odontograms with FDI tooth numbers, and periodontal exams. Entries are never changed: a correction is a new entry.',
  all: { scope: 'dental', feature: 'dental', dental: true, notFound: 'Patient not found' },
  routes: [
    { method: 'get', path: '/api/dental/findings', rpc: chart.listFindings },
    { method: 'get', path: '/api/dental/settings', rpc: chart.getChartSettings, summary: 'Get the settings of dental charts' },
    {
      method: 'patch',
      path: '/api/dental/settings',
      rpc: chart.updateChartSettings,
      summary: 'Update the settings of dental charts',
      body: { chart_colors: z.enum(['standard', 'red_blue']) },
      example: { chart_colors: 'red_blue' },
    },
    { method: 'get', path: '/api/dental/charts/:patientId/current', rpc: chart.getChart, query: { at: moment.optional() } },
    {
      method: 'get',
      path: '/api/dental/charts/:patientId/current.svg',
      rpc: chart.drawChart,
      summary: 'Get the dental chart as SVG',
      query: { at: moment.optional() },
    },
    { method: 'get', path: '/api/dental/charts/:patientId/history', rpc: chart.getChartHistory, query: { ...pages } },
    {
      method: 'post',
      path: '/api/dental/charts/:patientId/entries',
      rpc: chart.addChartEntry,
      body: {
        tooth: fdi,
        surfaces: z.array(surface).max(5).nullish(),
        finding: text(50),
        status: z.enum(['existing', 'planned', 'treated']),
        notes: maybe(text(2000)),
        teeth: z.array(fdi).max(16).nullish(),
        pontics: z.array(fdi).max(16).nullish(),
        replaces: maybe(uuid),
      },
      creates: true,
      errors: ['CONFLICT'],
      example: { tooth: 16, surfaces: ['M', 'O'], finding: 'caries', status: 'existing', notes: 'Profunda' },
    },
    {
      method: 'delete',
      path: '/api/dental/charts/:patientId/entries/:entryId',
      rpc: chart.voidChartEntry,
      body: { reason: maybe(text(2000)) },
      notFound: 'Chart entry not found',
      errors: ['CONFLICT'],
      example: { reason: 'Otro diente' },
    },
    {
      method: 'put',
      path: '/api/dental/charts/:patientId/dentition',
      rpc: chart.setDentition,
      body: { dentition: z.enum(['adult', 'child', 'mixed', 'auto']) },
      errors: ['CONFLICT'],
      example: { dentition: 'mixed' },
    },
    { method: 'get', path: '/api/dental/charts/:patientId/periodontics', rpc: exams.listPeriodontalExams, query: { ...pages } },
    {
      method: 'post',
      path: '/api/dental/charts/:patientId/periodontics',
      rpc: exams.addPeriodontalExam,
      body: { exam_date: maybe(date), teeth: z.array(tooth).min(1).max(52), notes: maybe(text(5000)) },
      creates: true,
      errors: ['CONFLICT'],
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
      method: 'get',
      path: '/api/dental/charts/:patientId/periodontics/compare',
      rpc: exams.comparePeriodontalExams,
      query: { from: examOrDay, to: examOrDay },
    },
    {
      method: 'get',
      path: '/api/dental/charts/:patientId/periodontics/:examId.svg',
      rpc: exams.drawPeriodontalExam,
      summary: 'Get a periodontal exam as SVG',
      notFound: 'Periodontal exam not found',
    },
    { method: 'get', path: '/api/dental/charts/:patientId/periodontics/:examId', rpc: exams.getPeriodontalExam, notFound: 'Periodontal exam not found' },
  ],
});
