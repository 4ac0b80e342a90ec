// The briefing of a day. If the waitlist or a dental section is unavailable, it is null and an alert reports it; any other failure fails the
// briefing.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { addDays, dateIn, parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { fromCents } from '@clinic/lib/formats/money.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ResolvedClinic } from '@clinic/proto/identity/v1/access_pb.js';
import type { GetBriefingRequest } from '@clinic/proto/messaging/v1/briefing_pb.js';
import { DateTime } from 'luxon';
import type { App } from '../../app.ts';
import { loadOverduePayments, loadRecallsDue, loadWaitlist, toAppointments, toGaps, toMedicalAlerts, toUnconfirmed } from '../briefing/sections.ts';
import { summarise } from '../briefing/summarise.ts';
import { DENTAL, findPermissions } from '../permissions.ts';
import { type Facts, listAlerts } from '../rules/briefing-text.ts';

const MAX_CONVERSATIONS = 20;
const DAY_MS = 86_400_000;

export async function getBriefing(app: App, request: GetBriefingRequest, call: Call) {
  const { timezone } = clinicOf(call);
  const now = app.clock.now();
  const today = dateIn(timezone, now);
  const date = request.date === undefined ? today : parseLocalDate('date', request.date);
  const dayBefore = addDays(date, -1);
  const options = callAs(call.caller);
  const unavailable: string[] = [];
  const section = <T>(name: string, work: Promise<T>): Promise<T | undefined> =>
    work.catch((err: unknown) => {
      app.log.warn({ err, section: name }, 'briefing: a section could not be loaded');
      unavailable.push(name);
      return undefined;
    });

  const { clinic, currency, may } = await findPermissions(app, call);
  const isDental = may(DENTAL);
  const [agenda, agendaBefore, waitlist, overdue, recalls, waiting, channel] = await Promise.all([
    app.scheduling.agenda.getAgenda({ date }, options),
    app.scheduling.agenda.getAgenda({ date: dayBefore }, options),
    section('waitlist', loadWaitlist(app, date, options)),
    isDental ? section('overdue_payments', loadOverduePayments(app, options)) : undefined,
    isDental ? section('recalls_due', loadRecallsDue(app, options)) : undefined,
    app.messaging.conversations.listWaitingConversations({ limit: MAX_CONVERSATIONS }, options),
    app.messaging.channel.getChannelSettings({}, options),
  ]);

  const appointments = toAppointments(agenda);
  const gaps = date < today ? [] : toGaps(agenda, date === today ? startOfQuarterHour(now, timezone) : '00:00');
  const { total, completed, noShow, cancelled, confirmed, pending } = toAppointments(agendaBefore);
  const yesterday = { date: dayBefore, total, completed, noShow, cancelled, unmarked: dayBefore < today ? confirmed + pending : 0 };
  const facts: Facts = {
    date,
    today,
    appointments: {
      total: appointments.total,
      confirmed: appointments.confirmed,
      pending: appointments.pending,
      completed: appointments.completed,
      no_show: appointments.noShow,
      cancelled: appointments.cancelled,
    },
    doctors_working: appointments.byDoctor.filter(({ visits }) => visits > 0).length, // plain-words: visits is public
    first_start: appointments.firstStart ?? null,
    last_end: appointments.lastEnd ?? null,
    gaps: { count: gaps.length, minutes: gaps.reduce((sum, { minutes }) => sum + minutes, 0) },
    waitlist: waitlist ? { total: waitlist.total, suits_day: waitlist.suitsDay } : null,
    chats_waiting: waiting.total,
    currency,
    overdue: overdue ? { plans: overdue.total, amount: fromCents(overdue.amount) } : null,
    recalls_due: recalls?.total ?? null,
    yesterday: { total, completed, no_show: noShow, cancelled, unmarked: yesterday.unmarked },
  };
  const alerts = listAlerts(facts, {
    // plain-words: visits is public
    appointmentsOnVacation: appointments.byDoctor.reduce((sum, { onVacation, visits }) => sum + (onVacation ? visits : 0), 0),
    channelFailed: channel.hasFailed,
    daysLeft: daysLeftOf(clinic, now),
    unavailable,
  });
  return {
    date,
    ...(await summarise(app, call, facts)),
    appointments,
    unconfirmed: toUnconfirmed(agenda),
    gaps,
    medicalAlerts: toMedicalAlerts(agenda),
    waitlist,
    conversationsWaiting: {
      total: waiting.total,
      items: waiting.conversations.map(({ phone, patientId, patientName, unreadCount, lastMessageAt }) => ({
        phone,
        patientId,
        patientName,
        unreadCount,
        lastMessageAt,
      })),
    },
    overduePayments: overdue,
    recallsDue: recalls,
    yesterday,
    alerts,
  };
}

/** The start of the current quarter of an hour (HH:MM), so that the figures, and the model's summary of them, stay the same for a while. */
function startOfQuarterHour(now: Date, zone: string): string {
  const time = DateTime.fromJSDate(now, { zone });
  return time.set({ minute: time.minute - (time.minute % 15) }).toFormat('HH:mm');
}

/** Null if the subscription does not end. */
function daysLeftOf({ plan, subscriptionExpiresAt, subscriptionRenews }: ResolvedClinic, now: Date): number | null {
  if (plan === 'forever_free' || !subscriptionExpiresAt || subscriptionRenews) return null;
  return Math.ceil((timestampDate(subscriptionExpiresAt).getTime() - now.getTime()) / DAY_MS);
}
