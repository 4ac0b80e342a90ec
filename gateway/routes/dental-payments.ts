import { PaymentPlanService } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { clearable, clearableNumber, date, limit, maybe, money, page, text, uuid } from './schemas.ts';

const { method } = PaymentPlanService;

const status = z.enum(['active', 'paid', 'overdue', 'cancelled']);
const day = z.int().min(1).max(28);
const notes = text(5000);

export const patientBalance = area({
  prefix: '/api/patients',
  tag: 'Balances',
  about: 'What patients owe. For dental clinics.',
  all: { scope: 'payments', feature: 'dental', dental: true },
  routes: [{ method: 'get', path: '/api/patients/:patientId/balance', rpc: method.getPatientBalance, notFound: 'Patient not found' }],
});

export const dentalPayments = area({
  prefix: '/api/dental',
  tag: 'Payment plans',
  about: 'Payment plans, payments and receipts. For dental clinics.',
  all: { scope: 'payments', feature: 'dental', dental: true, notFound: 'Payment plan not found' },
  routes: [
    {
      method: 'get',
      path: '/api/dental/payment-plans/summary',
      rpc: method.getPaymentSummary,
      summary: 'Get the summary of all payment plans',
      guards: ['revenue_hidden_from_receptionists'],
    },
    {
      method: 'get',
      path: '/api/dental/payment-plans',
      rpc: method.listPaymentPlans,
      query: { patient_id: uuid.optional(), status: status.optional(), page, limit: limit(500) },
    },
    {
      method: 'post',
      path: '/api/dental/payment-plans',
      rpc: method.createPaymentPlan,
      body: {
        patient_id: uuid,
        description: text(500),
        total_amount: money,
        treatment_plan_id: maybe(uuid),
        reminder_enabled: z.boolean().nullish(),
        reminder_day_of_month: day.nullish(),
        notes: maybe(notes),
        installments: z.int().min(1).max(60).nullish(),
        first_due_date: maybe(date),
      },
      creates: true,
      notFound: 'Patient not found',
      errors: ['CONFLICT'],
      example: { patient_id: '0198a3f2-7c1e-7d4b-9a53-2f6c1e8b4d70', description: 'Ortodoncia', total_amount: 1200, installments: 12 },
    },
    { method: 'get', path: '/api/dental/payment-plans/:id', rpc: method.getPaymentPlan, summary: 'Get a payment plan' },
    {
      method: 'patch',
      path: '/api/dental/payment-plans/:id',
      rpc: method.updatePaymentPlan,
      body: {
        description: text(500).optional(),
        status: status.optional(),
        reminder_enabled: z.boolean().optional(),
        reminder_day_of_month: clearableNumber(day),
        notes: clearable(notes),
      },
      example: { reminder_enabled: true, reminder_day_of_month: 5 },
    },
    { method: 'delete', path: '/api/dental/payment-plans/:id', rpc: method.cancelPaymentPlan },
    {
      method: 'post',
      path: '/api/dental/payment-plans/:id/payments',
      rpc: method.recordPayment,
      body: { amount: money, payment_method: maybe(z.enum(['cash', 'transfer', 'card', 'other'])), notes: maybe(notes) },
      creates: true,
      errors: ['AMOUNT_EXCEEDS_BALANCE'],
      example: { amount: 100, payment_method: 'cash' },
    },
    {
      method: 'delete',
      path: '/api/dental/payments/:id',
      rpc: method.voidPayment,
      guards: ['voids_need_admin'],
      body: { reason: text(1000) },
      notFound: 'Payment not found or already voided',
      example: { reason: 'Cobrado dos veces' },
    },
    { method: 'get', path: '/api/dental/payments/:id/receipt.pdf', rpc: method.getReceipt, notFound: 'Payment not found' },
  ],
});
