// Sections of the briefing from scheduling: appointments, gaps and the waitlist.
import type { Agenda } from '@clinic/proto/scheduling/v1/agenda_pb.js';
import type { CallOptions } from '@connectrpc/connect';
import type { App } from '../../app.ts';
import { appointmentsIn } from '../tools/appointments.ts';
import { loadPages } from './load-pages.ts';

const PAGE = 500;
const MAX_PAGES = 10;
const MAX_ITEMS = 20;

export function toAppointments({ doctors, totals }: Agenda) {
  const all = doctors.flatMap((doctor) => doctor.visits); // plain-words: visits is public
  const { visits: total = 0, confirmed = 0, pending = 0, completed = 0, noShow = 0, cancelled = 0 } = totals ?? {}; // plain-words: visits is public
  const [starts, ends] = [all.map(({ startTime }) => startTime).sort(), all.map(({ endTime }) => endTime).sort()];
  return {
    ...{ total, confirmed, pending, completed, noShow, cancelled },
    firstStart: starts[0],
    lastEnd: ends.at(-1),
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

/** Gaps by start, from `from` (HH:MM) on. */
export const toGaps = ({ doctors }: Agenda, from: string) =>
  doctors
    .flatMap(({ doctorId, fullName, gaps }) =>
      gaps.map(({ startTime, endTime }) => ({ doctorId, doctorName: fullName, startTime: startTime < from ? `${from}:00` : startTime, endTime })),
    )
    .filter(({ startTime, endTime }) => startTime < endTime)
    .map((gap) => ({ ...gap, minutes: minutesOf(gap.endTime) - minutesOf(gap.startTime) }))
    .sort((a, b) => (a.startTime < b.startTime ? -1 : 1));

/** The entries that wait or have an offer; `items` are those whom the day suits, in the order of their arrival. */
export async function loadWaitlist({ scheduling }: App, date: string, options: CallOptions) {
  const entriesOf = async (status: string) => {
    const { items } = await loadPages(MAX_PAGES, async (page) => {
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
