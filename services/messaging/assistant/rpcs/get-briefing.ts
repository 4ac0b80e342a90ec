// The day in short. A neighbour that is away costs its section, which the alerts then name; without the agenda there is none.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { addDays, dateIn, parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ResolvedClinic } from '@clinic/proto/identity/v1/access_pb.js';
import type { GetBriefingRequest } from '@clinic/proto/messaging/v1/assistant_pb.js';
import { ChannelService } from '@clinic/proto/messaging/v1/channel_pb.js';
import { ConversationService } from '@clinic/proto/messaging/v1/conversation_pb.js';
import { createClient } from '@connectrpc/connect';
import { DateTime } from 'luxon';
import type { App } from '../../app.ts';
import { readOverdue, readRecalls } from '../briefing/dental-sections.ts';
import { gapsOf, readAgenda, readWaitlist, unconfirmedOf, visitsOf } from '../briefing/scheduling-sections.ts';
import { summarise } from '../briefing/summarise.ts';
import { DENTAL, permissionsOf } from '../permissions.ts';
import { alertsOf, type Facts } from '../rules/briefing-text.ts';

const SHOWN = 20;
const DAY_MS = 86_400_000;

export async function getBriefing(app: App, request: GetBriefingRequest, call: Call) {
  const { timezone } = clinicOf(call);
  const now = app.clock.now();
  const today = dateIn(timezone, now);
  const date = request.date === undefined ? today : parseLocalDate('date', request.date);
  const before = addDays(date, -1);
  const options = callAs(call.caller);
  const [scheduling, dental, messaging] = [app.neighbour('scheduling'), app.neighbour('dental'), app.neighbour('messaging')];
  const notRead: string[] = [];
  const section = <T>(name: string, work: Promise<T>): Promise<T | undefined> =>
    work.catch((err: unknown) => {
      app.log.warn({ err, section: name }, 'a section of the briefing could not be read');
      notRead.push(name);
      return undefined;
    });

  const { clinic, may } = await permissionsOf(app, call);
  const isDental = may(DENTAL);
  const [agenda, agendaBefore, waitlist, overdue, recalls, waiting, channel] = await Promise.all([
    readAgenda(scheduling, date, options),
    readAgenda(scheduling, before, options),
    section('waitlist', readWaitlist(scheduling, date, options)),
    isDental ? section('overdue_payments', readOverdue(dental, scheduling, options)) : undefined,
    isDental ? section('recalls_due', readRecalls(dental, options)) : undefined,
    createClient(ConversationService, messaging).listWaitingConversations({ limit: SHOWN }, options),
    createClient(ChannelService, messaging).getChannelSettings({}, options),
  ]);

  const appointments = visitsOf(agenda);
  const gaps = date < today ? [] : gapsOf(agenda, date === today ? quarterOf(now, timezone) : '00:00');
  const { total, completed, noShow, cancelled, confirmed, pending } = visitsOf(agendaBefore);
  const yesterday = { date: before, total, completed, noShow, cancelled, unmarked: before < today ? confirmed + pending : 0 };
  const facts: Facts = {
    date,
    today,
    visits: {
      total: appointments.total,
      confirmed: appointments.confirmed,
      pending: appointments.pending,
      completed: appointments.completed,
      no_show: appointments.noShow,
      cancelled: appointments.cancelled,
    },
    doctors_working: agenda.doctors.filter(({ visits }) => visits.length > 0).length,
    first_start: appointments.firstStart ?? null,
    last_end: appointments.lastEnd ?? null,
    gaps: { count: gaps.length, minutes: gaps.reduce((sum, { minutes }) => sum + minutes, 0) },
    waitlist: waitlist ? { total: waitlist.total, suits_day: waitlist.suitsDay } : null,
    chats_waiting: waiting.total,
    overdue: overdue ? { plans: overdue.total, amount: Number(overdue.amount) / 100 } : null,
    recalls_due: recalls?.total ?? null,
    yesterday: { total, completed, no_show: noShow, cancelled, unmarked: yesterday.unmarked },
  };
  const alerts = alertsOf(facts, {
    visitsOnVacation: agenda.doctors.filter(({ onVacation }) => onVacation).reduce((sum, { visits }) => sum + visits.length, 0),
    channelFailed: channel.chatStatus === 'failed',
    daysLeft: daysLeftOf(clinic, now),
    notRead,
  });
  return {
    date,
    ...(await summarise(app, call, facts)),
    appointments,
    unconfirmed: unconfirmedOf(agenda),
    gaps,
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
    alerts: alerts.map(({ code, message, href }) => ({ code, message, href: href ?? undefined })),
  };
}

/** The quarter of an hour that has begun: the figures, and with them what the model wrote, hold for a while. */
function quarterOf(now: Date, zone: string): string {
  const time = DateTime.fromJSDate(now, { zone });
  return time.set({ minute: time.minute - (time.minute % 15) }).toFormat('HH:mm');
}

function daysLeftOf({ plan, subscriptionExpiresAt }: ResolvedClinic, now: Date): number | null {
  if (plan === 'forever_free' || !subscriptionExpiresAt) return null;
  return Math.ceil((timestampDate(subscriptionExpiresAt).getTime() - now.getTime()) / DAY_MS);
}
