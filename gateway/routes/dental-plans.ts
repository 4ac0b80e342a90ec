import { PRICE_CODE, PRICE_CODE_RULE } from '@clinic/lib/formats/price-code.ts';
import { MAX_SIGNATURE_CHARACTERS } from '@clinic/lib/pdf/signature.ts';
import { PriceService } from '@clinic/proto/dental/v1/price_pb.js';
import { TreatmentPlanService } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { clearable, clearableNumber, date, limit, maybe, money, moneyOrZero, page, text, uuid } from './schemas.ts';

const { method } = TreatmentPlanService;

const planStatus = z.enum(['active', 'completed', 'paused', 'cancelled']);
const notes = text(5000);
/** 0 is accepted where it is shown. It becomes a negative total, because 0 means null in the RPC. */
const total = moneyOrZero.transform((amount) => (amount === 0 ? -1 : amount));

export const dentalPlans = area({
  prefix: '/api/dental',
  tag: 'Treatment plans',
  about: 'Treatment plans with their steps, options and quotes, and the price list. For dental clinics.',
  all: { scope: 'dental', feature: 'dental', dental: true, notFound: 'Treatment plan not found' },
  routes: [
    {
      method: 'get',
      path: '/api/dental/treatment-plans',
      rpc: method.listTreatmentPlans,
      query: { patient_id: uuid.optional(), status: planStatus.optional(), page, limit: limit(500) },
    },
    {
      method: 'post',
      path: '/api/dental/treatment-plans',
      rpc: method.createTreatmentPlan,
      body: { patient_id: uuid, title: text(200), estimated_total: money.nullish(), notes: maybe(notes) },
      creates: true,
      notFound: 'Patient not found',
      errors: ['CONFLICT'],
      example: { patient_id: '0198a3f2-7c1e-7d4b-9a53-2f6c1e8b4d70', title: 'Rehabilitación', estimated_total: 850, notes: 'En dos citas' },
    },
    {
      method: 'post',
      path: '/api/dental/treatment-plans/:patientId/generate-plan',
      rpc: method.generateTreatmentPlan,
      summary: 'Generate a treatment plan from the chart',
      body: { title: maybe(text(200)), notes: maybe(notes) },
      creates: true,
      notFound: 'Patient not found',
      errors: ['NOTHING_TO_TREAT', 'CONFLICT'],
      example: { title: 'Plan de tratamiento' },
    },
    { method: 'get', path: '/api/dental/treatment-plans/:id', rpc: method.getTreatmentPlan, summary: 'Get a treatment plan' },
    {
      method: 'patch',
      path: '/api/dental/treatment-plans/:id',
      rpc: method.updateTreatmentPlan,
      body: { title: text(200).optional(), status: planStatus.optional(), estimated_total: clearableNumber(total), notes: clearable(notes) },
      example: { status: 'paused', notes: 'Vuelve en enero' },
    },
    { method: 'delete', path: '/api/dental/treatment-plans/:id', rpc: method.cancelTreatmentPlan },
    {
      method: 'post',
      path: '/api/dental/treatment-plans/:id/steps',
      rpc: method.addTreatmentStep,
      summary: 'Add a treatment step',
      body: {
        procedure: text(200),
        estimated_cost: money.nullish(),
        notes: maybe(notes),
        appointment_id: maybe(uuid),
        option_id: maybe(uuid),
      },
      creates: true,
      example: { procedure: 'Corona, diente 16', estimated_cost: 250 },
    },
    {
      method: 'patch',
      path: '/api/dental/treatment-steps/:id',
      rpc: method.updateTreatmentStep,
      summary: 'Update a treatment step',
      notFound: 'Treatment step not found',
      body: {
        status: z.enum(['pending', 'scheduled', 'completed', 'skipped']).optional(),
        notes: clearable(notes),
        estimated_cost: clearableNumber(money),
        appointment_id: clearable(uuid),
        procedure: text(200).optional(),
        step_order: z.int().min(1).max(10_000).optional(),
      },
      example: { status: 'completed' },
    },
    {
      method: 'delete',
      path: '/api/dental/treatment-steps/:id',
      rpc: method.deleteTreatmentStep,
      summary: 'Delete a treatment step',
      notFound: 'Treatment step not found',
    },
    {
      method: 'post',
      path: '/api/dental/treatment-plans/:id/options',
      rpc: method.addTreatmentOption,
      summary: 'Add a treatment option',
      body: { name: text(100), copy_from: maybe(uuid) },
      creates: true,
      example: { name: 'Con implante' },
    },
    {
      method: 'post',
      path: '/api/dental/treatment-plans/:id/options/:optionId/choose',
      rpc: method.chooseTreatmentOption,
      summary: 'Choose a treatment option',
      notFound: 'Treatment option not found',
    },
    {
      method: 'delete',
      path: '/api/dental/treatment-plans/:id/options/:optionId',
      rpc: method.deleteTreatmentOption,
      summary: 'Delete a treatment option',
      notFound: 'Treatment option not found',
      errors: ['OPTION_IS_CHOSEN'],
    },
    {
      method: 'post',
      path: '/api/dental/treatment-plans/:id/quote',
      rpc: method.createQuote,
      summary: 'Create a quote',
      body: { option_id: maybe(uuid), valid_until: maybe(date) },
      creates: true,
      errors: ['TREATMENT_PLAN_CANCELLED', 'QUOTE_EMPTY', 'QUOTE_UNPRICED'],
      example: { valid_until: '2199-12-31' },
    },
    { method: 'get', path: '/api/dental/treatment-plans/:id/quote', rpc: method.getQuote },
    {
      method: 'post',
      path: '/api/dental/treatment-plans/:id/quote/accept',
      rpc: method.acceptQuote,
      summary: 'Accept the latest quote',
      body: { name: text(200), signature: maybe(z.string().max(MAX_SIGNATURE_CHARACTERS)), date: maybe(date) },
      status: 200,
      creates: true,
      errors: ['TREATMENT_PLAN_CANCELLED', 'QUOTE_EXPIRED', 'QUOTE_UNPRICED', 'QUOTE_ACCEPTED'],
      example: { name: 'María López', date: '2026-08-03' },
    },
    { method: 'get', path: '/api/dental/treatment-plans/:id/estimate.pdf', rpc: method.getEstimate },
    { method: 'get', path: '/api/dental/prices', rpc: PriceService.method.listPrices, summary: 'Get the price list' },
    {
      method: 'put',
      path: '/api/dental/prices',
      rpc: PriceService.method.replacePrices,
      body: {
        prices: z
          .array(
            z.object({
              code: z.string().regex(PRICE_CODE, PRICE_CODE_RULE),
              name: maybe(text(200)),
              price: money.nullable(),
            }),
          )
          .max(1000),
      },
      example: { prices: [{ code: 'filling_resin', price: 45 }] },
    },
  ],
});
