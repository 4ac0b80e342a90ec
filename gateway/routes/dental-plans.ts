// Treatment plans, their steps and options, quotes, and the price list.
import { PriceService } from '@clinic/proto/dental/v1/price_pb.js';
import { TreatmentPlanService } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import { z } from 'zod';
import type { Area, Route } from '../http/route.ts';
import { clearable, clearableNumber, date, limit, maybe, money, page, text, uuid } from './schemas.ts';

const { method } = TreatmentPlanService;

const gates = { access: 'user', rate: 'api', feature: 'dental', dental: true } as const satisfies Partial<Route>;
const plan = { ...gates, notFound: 'Treatment plan not found', errors: ['NOT_FOUND'] } as const satisfies Partial<Route>;
const step = { ...plan, notFound: 'Treatment step not found' } as const satisfies Partial<Route>;
const one = { params: z.object({ id: uuid }) };
const option = { params: z.object({ id: uuid, optionId: uuid }) };
const planStatus = z.enum(['active', 'completed', 'paused', 'cancelled']);
const notes = text(5000);

export const dentalPlans: Area = {
  prefix: '/api/dental',
  tag: 'Treatment plans',
  about: 'What a patient is to have done, in which order and for how much. For dental clinics.',
  routes: [
    {
      ...gates,
      method: 'get',
      path: '/api/dental/treatment-plans',
      rpc: method.listTreatmentPlans,
      summary: 'List treatment plans',
      request: { query: z.object({ patient_id: uuid.optional(), status: planStatus.optional(), page, limit: limit(500) }) },
    },
    {
      ...gates,
      method: 'post',
      path: '/api/dental/treatment-plans',
      rpc: method.createTreatmentPlan,
      summary: 'Open a treatment plan',
      request: { body: z.object({ patient_id: uuid, title: text(200), estimated_total: money.nullish(), notes: maybe(notes) }) },
      status: 201,
      creates: true,
      notFound: 'Patient not found',
      errors: ['NOT_FOUND'],
      example: { patient_id: '0198a3f2-7c1e-7d4b-9a53-2f6c1e8b4d70', title: 'Rehabilitación', estimated_total: 850, notes: 'En dos visitas' },
    },
    {
      ...gates,
      method: 'post',
      path: '/api/dental/treatment-plans/:patientId/generate-plan',
      rpc: method.generateTreatmentPlan,
      summary: 'Make a plan from the chart',
      request: { params: z.object({ patientId: uuid }), body: z.object({ title: maybe(text(200)), notes: maybe(notes) }) },
      status: 201,
      creates: true,
      notFound: 'Patient not found',
      errors: ['NOT_FOUND', 'NOTHING_TO_TREAT'],
      example: { title: 'Plan de tratamiento' },
    },
    { ...plan, method: 'get', path: '/api/dental/treatment-plans/:id', rpc: method.getTreatmentPlan, summary: 'Get a treatment plan', request: one },
    {
      ...plan,
      method: 'patch',
      path: '/api/dental/treatment-plans/:id',
      rpc: method.updateTreatmentPlan,
      summary: 'Change a treatment plan',
      request: {
        ...one,
        body: z.object({ title: text(200).optional(), status: planStatus.optional(), estimated_total: clearableNumber(money), notes: clearable(notes) }),
      },
      example: { status: 'paused', notes: 'Vuelve en enero' },
    },
    { ...plan, method: 'delete', path: '/api/dental/treatment-plans/:id', rpc: method.cancelTreatmentPlan, summary: 'Cancel a treatment plan', request: one },
    {
      ...plan,
      method: 'post',
      path: '/api/dental/treatment-plans/:id/steps',
      rpc: method.addTreatmentStep,
      summary: 'Add a step',
      request: {
        ...one,
        body: z.object({
          procedure: text(200),
          estimated_cost: money.nullish(),
          notes: maybe(notes),
          appointment_id: maybe(uuid),
          option_id: maybe(uuid),
        }),
      },
      status: 201,
      creates: true,
      example: { procedure: 'Corona, diente 16', estimated_cost: 250 },
    },
    {
      ...step,
      method: 'patch',
      path: '/api/dental/treatment-steps/:id',
      rpc: method.updateTreatmentStep,
      summary: 'Change a step',
      request: {
        ...one,
        body: z.object({
          status: z.enum(['pending', 'scheduled', 'completed', 'skipped']).optional(),
          notes: clearable(notes),
          estimated_cost: clearableNumber(money),
          appointment_id: clearable(uuid),
          procedure: text(200).optional(),
          step_order: z.int().min(1).max(10_000).optional(),
        }),
      },
      example: { status: 'completed' },
    },
    { ...step, method: 'delete', path: '/api/dental/treatment-steps/:id', rpc: method.deleteTreatmentStep, summary: 'Remove a step', request: one },
    {
      ...plan,
      method: 'post',
      path: '/api/dental/treatment-plans/:id/options',
      rpc: method.addTreatmentOption,
      summary: 'Add an option',
      request: { ...one, body: z.object({ name: text(100), copy_from: maybe(uuid) }) },
      status: 201,
      creates: true,
      example: { name: 'Con implante' },
    },
    {
      ...plan,
      method: 'post',
      path: '/api/dental/treatment-plans/:id/options/:optionId/choose',
      rpc: method.chooseTreatmentOption,
      summary: 'Choose an option',
      request: option,
      notFound: 'Treatment option not found',
    },
    {
      ...plan,
      method: 'delete',
      path: '/api/dental/treatment-plans/:id/options/:optionId',
      rpc: method.deleteTreatmentOption,
      summary: 'Remove an option',
      request: option,
      notFound: 'Treatment option not found',
      errors: ['NOT_FOUND', 'OPTION_IS_CHOSEN'],
    },
    {
      ...plan,
      method: 'post',
      path: '/api/dental/treatment-plans/:id/quote',
      rpc: method.createQuote,
      summary: 'Quote a plan',
      request: { ...one, body: z.object({ option_id: maybe(uuid), valid_until: maybe(date) }) },
      status: 201,
      creates: true,
      errors: ['NOT_FOUND', 'QUOTE_EMPTY'],
      example: { valid_until: '2199-12-31' },
    },
    { ...plan, method: 'get', path: '/api/dental/treatment-plans/:id/quote', rpc: method.getQuote, summary: 'Get the newest quote', request: one },
    {
      ...plan,
      method: 'post',
      path: '/api/dental/treatment-plans/:id/quote/accept',
      rpc: method.acceptQuote,
      summary: 'Accept the newest quote',
      request: { ...one, body: z.object({ name: text(200), signature: maybe(z.string().max(200_000)), date: maybe(date) }) },
      creates: true,
      errors: ['NOT_FOUND', 'QUOTE_EXPIRED', 'QUOTE_ACCEPTED'],
      example: { name: 'María López', date: '2026-08-03' },
    },
    { ...plan, method: 'get', path: '/api/dental/treatment-plans/:id/estimate.pdf', rpc: method.getEstimate, summary: 'Print the estimate', request: one },
    { ...gates, method: 'get', path: '/api/dental/prices', rpc: PriceService.method.listPrices, summary: 'Get the price list' },
    {
      ...gates,
      access: 'admin',
      method: 'put',
      path: '/api/dental/prices',
      rpc: PriceService.method.replacePrices,
      summary: 'Replace the price list',
      request: {
        body: z.object({
          prices: z
            .array(
              z.object({ code: z.string().regex(/^[a-z0-9_-]{1,64}$/, 'must be lower case letters, digits, _ or -'), name: maybe(text(200)), price: money }),
            )
            .max(1000),
        }),
      },
      example: { prices: [{ code: 'filling_resin', price: 45 }] },
    },
  ],
};
