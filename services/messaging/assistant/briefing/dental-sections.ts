// What is owed and who should come again, as dental knows it.
import { type PaymentPlan, PaymentPlanService } from '@clinic/proto/dental/v1/payment_plan_pb.js';
import { RecallService } from '@clinic/proto/dental/v1/recall_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { type CallOptions, createClient, type Transport } from '@connectrpc/connect';

const PAGE = 500;
const MOST_PAGES = 20;
const MOST_CAMPAIGNS = 30;
const SHOWN = 20;

/** What is owed on overdue plans. Their patients' names come from scheduling; without it they are left out. */
export async function readOverdue(dental: Transport, scheduling: Transport, options: CallOptions) {
  const plans: PaymentPlan[] = [];
  const client = createClient(PaymentPlanService, dental);
  let total = 0;
  for (let page = 1; page <= MOST_PAGES; page++) {
    const answer = await client.listPaymentPlans({ status: 'overdue', page, limit: PAGE }, options);
    total = answer.total;
    plans.push(...answer.plans);
    if (answer.plans.length === 0 || plans.length >= total) break;
  }
  const shown = plans.sort((a, b) => ((a.nextDueDate ?? '9') < (b.nextDueDate ?? '9') ? -1 : 1)).slice(0, SHOWN);
  const ids = [...new Set(shown.map(({ patientId }) => patientId))];
  const found = ids.length > 0 ? await createClient(LookupService, scheduling).findPatients({ ids }, options) : { patients: [] };
  const names = new Map(found.patients.map(({ id, fullName }) => [id, fullName]));
  return {
    total,
    amount: plans.reduce((sum, { totalAmount, amountPaid }) => sum + totalAmount - amountPaid, 0n),
    items: shown.map(({ id, patientId, totalAmount, amountPaid, nextDueDate }) => ({
      paymentPlanId: id,
      patientId,
      patientName: names.get(patientId),
      amount: totalAmount - amountPaid,
      dueDate: nextDueDate,
    })),
  };
}

/** Whom the active campaigns would invite. */
export async function readRecalls(dental: Transport, options: CallOptions) {
  const client = createClient(RecallService, dental);
  const { campaigns } = await client.listRecallCampaigns({}, options);
  const active = campaigns.filter(({ isActive }) => isActive).slice(0, MOST_CAMPAIGNS);
  const counted = await Promise.all(
    active.map(async ({ id, name }) => ({ campaignId: id, name, eligible: (await client.listRecallEligible({ id, page: 1, limit: 1 }, options)).total })),
  );
  const items = counted.filter(({ eligible }) => eligible > 0);
  return { total: items.reduce((sum, { eligible }) => sum + eligible, 0), items };
}
