// Tax documents at the simulated authority: invoices for payments, one of them invalidated, a crédito fiscal and a credit note.
import { TaxDocumentService } from '@clinic/proto/billing/v1/dte_document_pb.js';
import { PaymentPlanService } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import { COMPANY, COMPANY_ITEMS, CREDITED_ITEMS, METHODS } from '../data/money.ts';
import type { Demo } from '../demo.ts';

const PLANS = 12;

/** Does nothing when the authority is not simulated. */
export async function taxes(demo: Demo): Promise<void> {
  if (!demo.authorityUrl) return;
  const documents = demo.client(TaxDocumentService, 'billing');
  const paymentPlans = demo.client(PaymentPlanService, 'dental');
  const { plans } = await paymentPlans.listPaymentPlans({ page: 1, limit: PLANS }, demo.admin());
  for (const plan of plans) {
    const [payment] = (await paymentPlans.getPaymentPlan({ id: plan.id }, demo.admin())).payments;
    if (!payment) continue;
    const amount = Number(payment.amount) / 100;
    const code = METHODS.find(({ name }) => name === payment.paymentMethod)?.code ?? '01';
    const items = [{ description: `Abono: ${plan.description}`, quantity: 1, unitPrice: amount, discount: 0 }];
    const order = { patientId: plan.patientId, paymentId: payment.id, items, payment: { methods: [{ code, amount }] } };
    await documents.checkout({ type: 'invoice', ...order }, demo.admin(payment.id));
  }
  const company = { receiver: { ...COMPANY, isLargeTaxpayer: false }, items: COMPANY_ITEMS.map((item) => ({ ...item, discount: 0 })) };
  const credit = await documents.checkout(
    { type: 'credit_fiscal', ...company, payment: { condition: 'credit', methods: [], term: { unit: 'days', count: 30 } } },
    demo.admin('company'),
  );
  await documents.createCreditNote({ id: credit.id, items: CREDITED_ITEMS.map((item) => ({ ...item, discount: 0 })) }, demo.admin('credit-note'));
  const consumer = { items: [{ description: 'Limpieza dental', quantity: 1, unitPrice: 35, discount: 0 }], payment: { methods: [{ code: '01', amount: 35 }] } };
  const { id } = await documents.checkout({ type: 'invoice', ...consumer }, demo.admin('withdrawn'));
  await documents.invalidateTaxDocument({ id, type: 2, reason: 'El servicio no se prestó' }, demo.admin('invalidation'));
}
