// The sections of the briefing: appointments, gaps, waitlist, overdue payment plans, and patients to recall.
import type { Agenda } from '@clinic/proto/scheduling/v1/agenda_pb.js';
import type { CallOptions } from '@connectrpc/connect';
import type { App } from '../../app.ts';
import { appointmentsIn } from '../tools/appointments.ts';
import { findPatientNames } from '../tools/find-people.ts';

const PAGE = 500;
const MAX_WAITLIST_PAGES = 10;
const MAX_PLAN_PAGES = 20;
const MAX_CAMPAIGNS = 30;
const MAX_ITEMS = 20;

export function toAppointments({ doctors, totals }: Agenda) {
  const all = doctors.flatMap((doctor) => doctor.visits); // plain-words: visits is public
  const { visits: total = 0, confirmed = 0, pending = 0, completed = 0, noShow = 0, cancelled = 0 } = totals ?? {}; // plain-words: visits is public
  const starts = all.map(({ startTime }) => startTime).sort();
  // An end that is not after the start is on the next day.
  const ends = all.map(({ startTime, endTime }) => `${endTime > startTime ? 0 : 1} ${endTime}`).sort();
  const counts = { total, confirmed, pending, completed, noShow, cancelled };
  return {
    ...counts,
    firstStart: starts[0],
    lastEnd: ends.at(-1)?.slice(2),
    // plain-words: visits is public
    byDoctor: doctors.map(({ doctorId, fullName, visits, totals, onVacation }) => ({
      doctorId,
      fullName,
      visits: visits.length, // plain-words: visits is public
      gapMinutes: totals?.gapMinutes ?? 0,
      onVacation,
    })),
  };
}

const toShown = ({ id, startTime, patients }: ReturnType<typeof appointmentsIn>[number]) => ({
  appointmentId: id,
  startTime,
  patientId: patients?.id ?? '',
  patientName: patients?.fullName ?? '',
});

export const toUnconfirmed = (agenda: Agenda) =>
  appointmentsIn(agenda)
    .filter(({ status }) => status === 'pending')
    .map((one) => ({ ...toShown(one), patientPhone: one.patients?.phone, doctorName: one.doctorName }));

export const toMedicalAlerts = (agenda: Agenda) =>
  appointmentsIn(agenda)
    .filter(({ alerts }) => alerts.length > 0)
    .map((one) => ({ ...toShown(one), alerts: one.alerts }));

const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

/** The gaps from `from` (HH:MM) on, ordered by start. */
export const toGaps = ({ doctors }: Agenda, from: string) =>
  doctors
    .flatMap(({ doctorId, fullName, gaps }) =>
      gaps.map(({ startTime, endTime }) => ({ doctorId, doctorName: fullName, startTime: startTime < from ? `${from}:00` : startTime, endTime })),
    )
    .filter(({ startTime, endTime }) => startTime < endTime)
    .map((gap) => ({ ...gap, minutes: minutesOf(gap.endTime) - minutesOf(gap.startTime) }))
    .sort((a, b) => (a.startTime < b.startTime ? -1 : 1));

/** The entries that are waiting or have an offer. `items` are those whose dates include the day, waiting ones first. */
export async function loadWaitlist({ scheduling }: App, date: string, options: CallOptions) {
  const entriesOf = async (status: string) => {
    const { items } = await loadPages(MAX_WAITLIST_PAGES, async (page) => {
      const { entries, total } = await scheduling.waitlist.listWaitlist({ status, page, limit: PAGE }, options);
      return { items: entries, total };
    });
    return items;
  };
  const entries = [...(await entriesOf('waiting')), ...(await entriesOf('offered'))];
  const suited = entries.filter(({ dateFrom, dateTo }) => dateFrom <= date && date <= dateTo);
  return {
    total: entries.length,
    suitsDay: suited.length,
    items: suited.slice(0, MAX_ITEMS).map(({ id, patientId, patients, doctors, status }) => ({
      entryId: id,
      patientId,
      patientName: patients?.fullName ?? '',
      doctorName: doctors?.fullName,
      status,
    })),
  };
}

/** Overdue payment plans, the longest overdue first. The name of a patient who no longer exists is absent. */
export async function loadOverduePayments(app: App, options: CallOptions) {
  const { items: plans, total } = await loadPages(MAX_PLAN_PAGES, async (page) => {
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

/** The number of patients that each active campaign would invite. In `total`, a patient whom several would invite counts once for each of them. */
export async function loadRecallsDue({ dental: { recall } }: App, options: CallOptions) {
  const { campaigns } = await recall.listRecallCampaigns({}, options);
  const active = campaigns.filter(({ isActive }) => isActive).slice(0, MAX_CAMPAIGNS);
  const counted = await Promise.all(
    active.map(async ({ id, name }) => ({ campaignId: id, name, eligible: (await recall.listRecallEligible({ id, page: 1, limit: 1 }, options)).total })),
  );
  const items = counted.filter(({ eligible }) => eligible > 0);
  return { total: items.reduce((sum, { eligible }) => sum + eligible, 0), items };
}

/** Loads the items of a list page by page, at most `maxPages`. `total` is the total that the last page reports. */
async function loadPages<T>(maxPages: number, load: (page: number) => Promise<{ items: T[]; total: number }>): Promise<{ items: T[]; total: number }> {
  const items: T[] = [];
  let total = 0;
  for (let page = 1; page <= maxPages; page++) {
    const loaded = await load(page);
    items.push(...loaded.items);
    total = loaded.total;
    if (loaded.items.length === 0 || items.length >= total) break;
  }
  return { items, total };
}
