// Lists treatment plans and payment plans, of one patient or of the clinic.
import type { Language } from '@clinic/lib/formats/day-text.ts';
import { formatCents, fromCents } from '@clinic/lib/formats/money.ts';
import type { PaymentPlan } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import type { TreatmentPlan } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import { z } from 'zod';
import { DENTAL } from '../permissions.ts';
import { freeText, person, queryReference, type Reference, reference } from '../rules/tool-output.ts';
import { inLanguage, listLines, type StatusNames, statusIn } from '../rules/wording.ts';
import { optionalPatient } from './argument-schemas.ts';
import { findPatient, findPatientNames, patientReference } from './find-people.ts';
import { type Cite, defineTool } from './tool.ts';

const MAX_PLANS = 30;

const STATUSES: StatusNames = {
  active: ['activo', 'active'],
  completed: ['terminado', 'completed'],
  paused: ['en pausa', 'paused'],
  cancelled: ['cancelado', 'cancelled'],
  paid: ['pagado', 'paid'],
  overdue: ['vencido', 'overdue'],
};

const treatmentReference = ({ id, title }: TreatmentPlan): Reference => ({ kind: 'tratamiento', id, href: `/api/dental/treatment-plans/${id}`, label: title });
const paymentReference = ({ id, description }: PaymentPlan): Reference => ({ kind: 'pago', id, href: `/api/dental/payment-plans/${id}`, label: description });

export const treatmentPlanToModel = (plan: TreatmentPlan) => ({
  ref: reference(treatmentReference(plan)),
  title: freeText(plan.title),
  status: plan.status,
  estimated_total: fromCents(plan.estimatedTotal),
});
export const paymentPlanToModel = (plan: PaymentPlan) => ({
  ref: reference(paymentReference(plan)),
  description: freeText(plan.description),
  status: plan.status,
  total: fromCents(plan.totalAmount),
  paid: fromCents(plan.amountPaid),
  owed: fromCents(plan.totalAmount - plan.amountPaid),
  next_due_date: plan.nextDueDate ?? null,
});

export function treatmentPlanToText(plan: TreatmentPlan, language: Language, cite: Cite, currency: string, patientName?: string): string {
  const total = formatCents(plan.estimatedTotal, currency);
  return `- ${patientName ? `${patientName}: ` : ''}${plan.title}, ${statusIn(STATUSES, plan.status, language)}, ${total} ${cite(treatmentReference(plan))}`;
}

export function paymentPlanToText(plan: PaymentPlan, language: Language, cite: Cite, currency: string, patientName?: string): string {
  const owed = formatCents(plan.totalAmount - plan.amountPaid, currency);
  const due = plan.nextDueDate ? inLanguage(language, `, desde ${plan.nextDueDate}`, `, due ${plan.nextDueDate}`) : '';
  const status = statusIn(STATUSES, plan.status, language);
  const owes = inLanguage(language, 'debe', 'owes');
  return `- ${patientName ? `${patientName}: ` : ''}${plan.description}, ${status}, ${owes} ${owed}${due} ${cite(paymentReference(plan))}`;
}

const patientToModel = (names: Map<string, string>, patientId: string) => {
  const fullName = names.get(patientId);
  return fullName ? { ref: reference(patientReference({ id: patientId, fullName })), name: person(fullName) } : null;
};

export const treatmentPlans = defineTool({
  name: 'treatment_plans',
  description: 'Treatment plans with their cost, of one patient or the newest of the clinic.',
  requires: DENTAL,
  args: z.object({ patient: optionalPatient }),
  async load(context, { patient }) {
    const patientId = patient ? (await findPatient(context, patient)).id : undefined;
    const { plans, total } = await context.app.dental.treatmentPlans.listTreatmentPlans({ page: 1, limit: MAX_PLANS, patientId }, context.asUser);
    return { plans, total, names: await findPatientNames(context, plans) };
  },
  toModel: ({ plans, total, names }) => ({
    total,
    plans: plans.map((plan) => ({ ...treatmentPlanToModel(plan), patient: patientToModel(names, plan.patientId) })),
  }),
  summary: ({ total }, language) => inLanguage(language, `Planes de tratamiento: ${total}`, `Treatment plans: ${total}`),
  toText({ plans, total, names }, language, cite, currency) {
    const lines = plans.map((plan) => treatmentPlanToText(plan, language, cite, currency, names.get(plan.patientId)));
    if (plans.length === 0) return inLanguage(language, 'No hay planes de tratamiento.', 'There are no treatment plans.');
    return [inLanguage(language, 'Planes de tratamiento:', 'Treatment plans:'), ...listLines(lines, total, language)].join('\n');
  },
});

const summaryReference = queryReference('payments', '/api/dental/payment-plans/summary', 'Resumen de pagos');

export const payments = defineTool({
  name: 'payments',
  description: 'What has been collected and is owed over all payment plans, and the plans of one status or one patient. Use status overdue for who is behind.',
  requires: { ...DENTAL, revenue: true },
  args: z.object({ patient: optionalPatient, status: z.enum(['active', 'paid', 'overdue', 'cancelled']).optional() }),
  async load(context, { patient, status }) {
    const patientId = patient ? (await findPatient(context, patient)).id : undefined;
    const { paymentPlans } = context.app.dental;
    const [{ plans, total }, sums] = await Promise.all([
      paymentPlans.listPaymentPlans({ page: 1, limit: MAX_PLANS, patientId, status }, context.asUser),
      paymentPlans.getPaymentSummary({}, context.asUser),
    ]);
    return { plans, total, sums, status, isOfOnePatient: patientId !== undefined, names: await findPatientNames(context, plans) };
  },
  toModel: ({ plans, total, sums, names }) => ({
    all_plans: {
      source: reference(summaryReference),
      collected: fromCents(sums.totalCollected),
      pending: fromCents(sums.totalPending),
      active: sums.activeCount,
      overdue: sums.overdueCount,
    },
    total,
    plans: plans.map((plan) => ({ ...paymentPlanToModel(plan), patient: patientToModel(names, plan.patientId) })),
  }),
  summary: ({ total }, language) => inLanguage(language, `Planes de pago: ${total}`, `Payment plans: ${total}`),
  toText({ plans, total, sums, status, isOfOnePatient, names }, language, cite, currency) {
    const [collected, pending] = [formatCents(sums.totalCollected, currency), formatCents(sums.totalPending, currency)];
    const all = inLanguage(
      language,
      `Cobrado ${collected}, pendiente ${pending}. Planes activos: ${sums.activeCount}, vencidos: ${sums.overdueCount}`,
      `Collected ${collected}, pending ${pending}. Active plans: ${sums.activeCount}, overdue: ${sums.overdueCount}`,
    );
    const kind = status ? ` (${statusIn(STATUSES, status, language)})` : '';
    const head = inLanguage(language, `Planes de pago${kind}: ${total}`, `Payment plans${kind}: ${total}`);
    const lines = plans.map((plan) => paymentPlanToText(plan, language, cite, currency, names.get(plan.patientId)));
    return [...(isOfOnePatient ? [] : [`${all} ${cite(summaryReference)}.`]), head, ...listLines(lines, total, language)].join('\n');
  },
});
