// Sections of the briefing from scheduling: appointments, gaps and the waitlist.
import type { Agenda } from '@clinic/proto/scheduling/v1/agenda_pb.js';
import type { CallOptions } from '@connectrpc/connect';
import type { App } from '../../app.ts';
import { loadPages } from './load-pages.ts';

const PAGE = 500;
const MAX_PAGES = 10;
const MAX_ITEMS = 20;

const byStart = (a: { startTime: string }, b: { startTime: string }) => (a.startTime < b.startTime ? -1 : 1);

export function toAppointments({ doctors, totals }: Agenda) {
  const all = doctors.flatMap((doctor) => doctor.visits); // plain-words: visits is public
  return {
    total: totals?.visits ?? 0, // plain-words: visits is public
    confirmed: totals?.confirmed ?? 0,
    pending: totals?.pending ?? 0,
    completed: totals?.completed ?? 0,
    noShow: totals?.noShow ?? 0,
    cancelled: totals?.cancelled ?? 0,
    firstStart: all.map(({ startTime }) => startTime).sort()[0],
    lastEnd: all
      .map(({ endTime }) => endTime)
      .sort()
      .at(-1),
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

export const toUnconfirmed = ({ doctors }: Agenda) =>
  doctors
    .flatMap(({ fullName, visits }) => visits.map((appointment) => ({ ...appointment, doctorName: fullName }))) // plain-words: visits is public
    .filter(({ status }) => status === 'pending')
    .sort(byStart)
    .map(({ id, startTime, patients, doctorName }) => ({
      appointmentId: id,
      startTime,
      patientId: patients?.id ?? '',
      patientName: patients?.fullName ?? '',
      patientPhone: patients?.phone,
      doctorName,
    }));

export const toMedicalAlerts = ({ doctors }: Agenda) =>
  doctors
    .flatMap(({ visits }) => visits) // plain-words: visits is public
    .filter(({ alerts }) => alerts.length > 0)
    .sort(byStart)
    .map(({ id, startTime, patients, alerts }) => ({
      appointmentId: id,
      startTime,
      patientId: patients?.id ?? '',
      patientName: patients?.fullName ?? '',
      alerts,
    }));

const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

/** Gaps by start, from `from` (HH:MM) on. */
export const toGaps = ({ doctors }: Agenda, from: string) =>
  doctors
    .flatMap(({ doctorId, fullName, gaps }) =>
      gaps.map(({ startTime, endTime }) => ({ doctorId, doctorName: fullName, startTime: startTime < from ? `${from}:00` : startTime, endTime })),
    )
    .filter(({ startTime, endTime }) => startTime < endTime)
    .map((gap) => ({ ...gap, minutes: minutesOf(gap.endTime) - minutesOf(gap.startTime) }))
    .sort(byStart);

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
