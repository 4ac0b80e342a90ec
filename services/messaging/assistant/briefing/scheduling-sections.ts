// The day as scheduling knows it.

import { type Agenda, AgendaService } from '@clinic/proto/scheduling/v1/agenda_pb.js';
import { type WaitlistEntry, WaitlistService } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import type { CallOptions } from '@connectrpc/connect';
import { createClient, type Transport } from '@connectrpc/connect';

const PAGE = 500;
const MOST_PAGES = 10;
const SHOWN = 20;

export const readAgenda = (scheduling: Transport, date: string, options: CallOptions) => createClient(AgendaService, scheduling).getAgenda({ date }, options);

/** Figures of a day's agenda. */
export function visitsOf({ doctors, totals }: Agenda) {
  const visits = doctors.flatMap((doctor) => doctor.visits);
  return {
    total: totals?.visits ?? 0,
    confirmed: totals?.confirmed ?? 0,
    pending: totals?.pending ?? 0,
    completed: totals?.completed ?? 0,
    noShow: totals?.noShow ?? 0,
    cancelled: totals?.cancelled ?? 0,
    firstStart: visits.map(({ startTime }) => startTime).sort()[0],
    lastEnd: visits
      .map(({ endTime }) => endTime)
      .sort()
      .at(-1),
    byDoctor: doctors.map(({ doctorId, fullName, visits, totals, onVacation }) => ({
      doctorId,
      fullName,
      visits: visits.length,
      gapMinutes: totals?.gapMinutes ?? 0,
      onVacation,
    })),
  };
}

export const unconfirmedOf = ({ doctors }: Agenda) =>
  doctors
    .flatMap(({ fullName, visits }) => visits.filter(({ status }) => status === 'pending').map((visit) => ({ visit, doctorName: fullName })))
    .sort((a, b) => (a.visit.startTime < b.visit.startTime ? -1 : 1))
    .map(({ visit: { id, startTime, patients }, doctorName }) => ({
      appointmentId: id,
      startTime,
      patientId: patients?.id ?? '',
      patientName: patients?.fullName ?? '',
      patientPhone: patients?.phone,
      doctorName,
    }));

const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

/** Gaps by start; what is before `from` (HH:MM) is over. */
export const gapsOf = ({ doctors }: Agenda, from: string) =>
  doctors
    .flatMap(({ doctorId, fullName, gaps }) =>
      gaps.map(({ startTime, endTime }) => ({ doctorId, doctorName: fullName, startTime: startTime < from ? `${from}:00` : startTime, endTime })),
    )
    .filter(({ startTime, endTime }) => startTime < endTime)
    .map((gap) => ({ ...gap, minutes: minutesOf(gap.endTime) - minutesOf(gap.startTime) }))
    .sort((a, b) => (a.startTime < b.startTime ? -1 : 1));

/** Who waits, in the order of their arrival, and whom the day suits. */
export async function readWaitlist(scheduling: Transport, date: string, options: CallOptions) {
  const entries = [...(await readEntries(scheduling, 'waiting', options)), ...(await readEntries(scheduling, 'offered', options))];
  const suited = entries.filter(({ dateFrom, dateTo }) => dateFrom <= date && date <= dateTo);
  return {
    total: entries.length,
    suitsDay: suited.length,
    items: suited.slice(0, SHOWN).map(({ id, patientId, patients, doctors, status }) => ({
      entryId: id,
      patientId,
      patientName: patients?.fullName ?? '',
      doctorName: doctors?.fullName,
      status,
    })),
  };
}

async function readEntries(scheduling: Transport, status: string, options: CallOptions): Promise<WaitlistEntry[]> {
  const client = createClient(WaitlistService, scheduling);
  const all: WaitlistEntry[] = [];
  for (let page = 1; page <= MOST_PAGES; page++) {
    const { entries, total } = await client.listWaitlist({ status, page, limit: PAGE }, options);
    all.push(...entries);
    if (entries.length === 0 || all.length >= total) break;
  }
  return all;
}
