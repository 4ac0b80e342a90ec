// Sections of the briefing from dental: overdue payment plans, and patients to be recalled.
import type { CallOptions } from '@connectrpc/connect';
import type { App } from '../../app.ts';
import { findPatientNames } from '../tools/find-people.ts';
import { loadPages } from './load-pages.ts';

const PAGE = 500;
const MAX_PAGES = 20;
const MAX_CAMPAIGNS = 30;
const MAX_ITEMS = 20;

/** The longest overdue first. A patient who no longer exists has no name. */
export async function loadOverduePayments(app: App, options: CallOptions) {
  const { items: plans, total } = await loadPages(MAX_PAGES, async (page) => {
    const listed = await app.dental.paymentPlans.listPaymentPlans({ status: 'overdue', page, limit: PAGE }, options);
    return { items: listed.plans, total: listed.total };
  });
  const shown = plans.sort((a, b) => ((a.nextDueDate ?? '9') < (b.nextDueDate ?? '9') ? -1 : 1)).slice(0, MAX_ITEMS);
  const names = await findPatientNames({ app, asUser: options }, shown);
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

/** The number of patients whom each active campaign would invite. */
export async function loadRecallsDue({ dental: { recall } }: App, options: CallOptions) {
  const { campaigns } = await recall.listRecallCampaigns({}, options);
  const active = campaigns.filter(({ isActive }) => isActive).slice(0, MAX_CAMPAIGNS);
  const counted = await Promise.all(
    active.map(async ({ id, name }) => ({ campaignId: id, name, eligible: (await recall.listRecallEligible({ id, page: 1, limit: 1 }, options)).total })),
  );
  const items = counted.filter(({ eligible }) => eligible > 0);
  return { total: items.reduce((sum, { eligible }) => sum + eligible, 0), items };
}
