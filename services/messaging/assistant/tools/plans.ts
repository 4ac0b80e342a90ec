// Treatment plans and payment plans, of one patient or of the clinic.
import { type PaymentPlan, PaymentPlanService } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import { type TreatmentPlan, TreatmentPlanService } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { createClient } from '@connectrpc/connect';
import { z } from 'zod';
import { DENTAL } from '../permissions.ts';
import { person, type Reference, reference, words } from '../rules/tool-output.ts';
import { patientNamed, patientReference } from './find-people.ts';
import { type Asking, in2, type Language, tool } from './tool.ts';

const MOST = 30;

export const amountOf = (cents: bigint) => Number(cents) / 100;
const dollars = (cents: bigint) => `$${amountOf(cents).toFixed(2)}`;

const STATUS: Record<string, [string, string]> = {
  active: ['activo', 'active'],
  completed: ['terminado', 'completed'],
  paused: ['en pausa', 'paused'],
  cancelled: ['cancelado', 'cancelled'],
  paid: ['pagado', 'paid'],
  overdue: ['vencido', 'overdue'],
};
const statusIn = (status: string, language: Language) => STATUS[status]?.[language === 'es' ? 0 : 1] ?? status;

const treatmentReference = ({ id, title }: TreatmentPlan): Reference => ({ kind: 'tratamiento', id, href: `/api/dental/treatment-plans/${id}`, label: title });
const debtReference = ({ id, description }: PaymentPlan): Reference => ({ kind: 'pago', id, href: `/api/dental/payment-plans/${id}`, label: description });

export const tellTreatment = (plan: TreatmentPlan) => ({
  ref: reference(treatmentReference(plan)),
  title: words(plan.title),
  status: plan.status,
  estimated_total: amountOf(plan.estimatedTotal),
});
export const tellDebt = (plan: PaymentPlan) => ({
  ref: reference(debtReference(plan)),
  description: words(plan.description),
  status: plan.status,
  total: amountOf(plan.totalAmount),
  paid: amountOf(plan.amountPaid),
  owed: amountOf(plan.totalAmount - plan.amountPaid),
  next_due_date: plan.nextDueDate ?? null,
});

type Cite = (to: Reference) => string;

export const sayTreatment = (plan: TreatmentPlan, language: Language, cite: Cite, name?: string) =>
  `- ${name ? `${name}: ` : ''}${plan.title}, ${statusIn(plan.status, language)}, ${dollars(plan.estimatedTotal)} ${cite(treatmentReference(plan))}`;

export function sayDebt(plan: PaymentPlan, language: Language, cite: Cite, name?: string): string {
  const owed = dollars(plan.totalAmount - plan.amountPaid);
  const due = plan.nextDueDate ? in2(language, `, desde ${plan.nextDueDate}`, `, due ${plan.nextDueDate}`) : '';
  return `- ${name ? `${name}: ` : ''}${plan.description}, ${statusIn(plan.status, language)}, ${in2(language, 'debe', 'owes')} ${owed}${due} ${cite(debtReference(plan))}`;
}

/** Names by id, for plans that know only ids. */
async function namesOf(asking: Asking, plans: { patientId: string }[]): Promise<Map<string, string>> {
  const ids = [...new Set(plans.map(({ patientId }) => patientId))];
  if (ids.length === 0) return new Map();
  const { patients } = await createClient(LookupService, asking.app.neighbour('scheduling')).findPatients({ ids }, asking.as);
  return new Map(patients.map(({ id, fullName }) => [id, fullName]));
}

const whose = (names: Map<string, string>, patientId: string) => {
  const fullName = names.get(patientId);
  return fullName ? { ref: reference(patientReference({ id: patientId, fullName })), name: person(fullName) } : null;
};

const patientArg = z.string().max(200).optional().describe('Name or reference of a patient; absent for all');

export const treatmentPlans = tool({
  name: 'treatment_plans',
  about: 'Treatment plans with their cost, of one patient or the newest of the clinic.',
  needs: DENTAL,
  args: z.object({ patient: patientArg }),
  async read(asking, { patient }) {
    const patientId = patient ? (await patientNamed(asking, patient)).id : undefined;
    const client = createClient(TreatmentPlanService, asking.app.neighbour('dental'));
    const { plans } = await client.listTreatmentPlans({ page: 1, limit: MOST, ...(patientId && { patientId }) }, asking.as);
    return { plans, names: await namesOf(asking, plans) };
  },
  tell: ({ plans, names }) => plans.map((plan) => ({ ...tellTreatment(plan), patient: whose(names, plan.patientId) })),
  summary: ({ plans }, language) => in2(language, `Planes de tratamiento: ${plans.length}`, `Treatment plans: ${plans.length}`),
  say({ plans, names }, language, cite) {
    if (plans.length === 0) return in2(language, 'No hay planes de tratamiento.', 'There are no treatment plans.');
    return [
      in2(language, 'Planes de tratamiento:', 'Treatment plans:'),
      ...plans.map((plan) => sayTreatment(plan, language, cite, names.get(plan.patientId))),
    ].join('\n');
  },
});

const summaryReference: Reference = { kind: 'consulta', id: 'payments', href: '/api/dental/payment-plans/summary', label: 'Resumen de pagos' };

export const payments = tool({
  name: 'payments',
  about: 'What has been collected and is owed over all payment plans, and the plans of one status or one patient. Use status overdue for who is behind.',
  needs: DENTAL,
  args: z.object({ patient: patientArg, status: z.enum(['active', 'paid', 'overdue', 'cancelled']).optional() }),
  async read(asking, { patient, status }) {
    const patientId = patient ? (await patientNamed(asking, patient)).id : undefined;
    const client = createClient(PaymentPlanService, asking.app.neighbour('dental'));
    const [{ plans, total }, sums] = await Promise.all([
      client.listPaymentPlans({ page: 1, limit: MOST, ...(patientId && { patientId }), ...(status && { status }) }, asking.as),
      client.getPaymentSummary({}, asking.as),
    ]);
    return { plans, total, sums, status, ofOne: patientId !== undefined, names: await namesOf(asking, plans) };
  },
  tell: ({ plans, total, sums, names }) => ({
    all_plans: {
      source: reference(summaryReference),
      collected: amountOf(sums.totalCollected),
      pending: amountOf(sums.totalPending),
      active: sums.activeCount,
      overdue: sums.overdueCount,
    },
    total,
    plans: plans.map((plan) => ({ ...tellDebt(plan), patient: whose(names, plan.patientId) })),
  }),
  summary: ({ total }, language) => in2(language, `Planes de pago: ${total}`, `Payment plans: ${total}`),
  say({ plans, total, sums, status, ofOne, names }, language, cite) {
    const all = in2(
      language,
      `Cobrado ${dollars(sums.totalCollected)}, pendiente ${dollars(sums.totalPending)} en ${sums.activeCount} planes activos y ${sums.overdueCount} vencidos`,
      `Collected ${dollars(sums.totalCollected)}, pending ${dollars(sums.totalPending)} on ${sums.activeCount} active and ${sums.overdueCount} overdue plans`,
    );
    const kind = status ? ` (${statusIn(status, language)})` : '';
    const head = in2(language, `Planes de pago${kind}: ${total}`, `Payment plans${kind}: ${total}`);
    return [
      ...(ofOne ? [] : [`${all} ${cite(summaryReference)}.`]),
      head,
      ...plans.map((plan) => sayDebt(plan, language, cite, names.get(plan.patientId))),
    ].join('\n');
  },
});
