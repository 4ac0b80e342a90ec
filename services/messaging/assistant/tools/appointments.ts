// Visits: the day of each doctor, and visits of a stretch of days by status.

import { formatClockTime, formatLongDay } from '@clinic/lib/formats/day-text.ts';
import { addDays } from '@clinic/lib/formats/local-date.ts';
import { type Agenda, AgendaService } from '@clinic/proto/scheduling/v1/agenda_pb.js';
import { type Appointment, AppointmentService } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { createClient } from '@connectrpc/connect';
import { z } from 'zod';
import { person, phone, type Reference, reference, words } from '../rules/tool-output.ts';
import { day, optionalDay } from './argument-schemas.ts';
import { doctorReference, doctorsNamed, patientReference } from './find-people.ts';
import { in2, type Language, tool } from './tool.ts';

type Shown = { id: string; date: string; startTime: string; status: string; notes?: string | undefined; patient: Appointment['patients']; doctorName: string };

export const visitReference = ({ id, date, startTime }: { id: string; date: string; startTime: string }): Reference => ({
  kind: 'cita',
  id,
  href: `/api/appointments/${id}`,
  label: `${date} ${startTime.slice(0, 5)}`,
});

const STATUS: Record<string, [string, string]> = {
  confirmed: ['confirmada', 'confirmed'],
  pending: ['sin confirmar', 'unconfirmed'],
  completed: ['atendida', 'completed'],
  cancelled: ['cancelada', 'cancelled'],
  no_show: ['no llegó', 'missed'],
};
export const statusIn = (status: string, language: Language) => STATUS[status]?.[language === 'es' ? 0 : 1] ?? status;

export const tellVisit = (visit: Shown) => ({
  ref: reference(visitReference(visit)),
  date: visit.date,
  start: visit.startTime.slice(0, 5),
  status: visit.status,
  patient: visit.patient && { ref: reference(patientReference(visit.patient)), name: person(visit.patient.fullName), phone: phone(visit.patient.phone) },
  doctor: person(visit.doctorName),
  notes: words(visit.notes),
});

export const sayVisit = (visit: Shown, language: Language, cite: (to: Reference) => string, withDay = false) => {
  const when = `${withDay ? `${formatLongDay(visit.date, language)}, ` : ''}${formatClockTime(visit.startTime, language)}`;
  return `- ${when}: ${visit.patient?.fullName ?? ''}, ${visit.doctorName} (${statusIn(visit.status, language)}) ${cite(visitReference(visit))}`;
};

export const shownOf = ({ id, appointmentDate, startTime, status, notes, patients, doctors }: Appointment): Shown => ({
  id,
  date: appointmentDate,
  startTime,
  status,
  notes,
  patient: patients,
  doctorName: doctors?.fullName ?? '',
});

const count = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;
const agendaReference = (date: string): Reference => ({ kind: 'consulta', id: `agenda ${date}`, href: `/api/agenda?date=${date}`, label: `Agenda ${date}` });

const visitsIn = ({ date, doctors }: Agenda): Shown[] =>
  doctors
    .flatMap(({ fullName, visits }) =>
      visits.map(({ id, startTime, status, notes, patients }) => ({ id, date, startTime, status, notes, patient: patients, doctorName: fullName })),
    )
    .sort((a, b) => (a.startTime < b.startTime ? -1 : 1));

export const agenda = tool({
  name: 'agenda',
  about: 'The visits and free stretches of one day, by doctor. Use it for questions about a day.',
  needs: { feature: 'daily_agenda' },
  args: z.object({ date: optionalDay, doctor: z.string().max(200).optional().describe('Name or reference of a doctor; absent for all') }),
  async read(asking, { date = asking.today, doctor }) {
    const ids = doctor ? (await doctorsNamed(asking, doctor)).map(({ id }) => id) : undefined;
    const found = await createClient(AgendaService, asking.app.neighbour('scheduling')).getAgenda({ date }, asking.as);
    return ids ? { ...found, doctors: found.doctors.filter(({ doctorId }) => ids.includes(doctorId)) } : found;
  },
  tell: (found) => ({
    source: reference(agendaReference(found.date)),
    date: found.date,
    doctors: found.doctors.map(({ doctorId, fullName, onVacation, gaps, visits }) => ({
      ref: reference(doctorReference({ id: doctorId, fullName })),
      name: person(fullName),
      on_vacation: onVacation,
      visits: visits.length,
      gaps: gaps.map(({ startTime, endTime }) => `${startTime.slice(0, 5)}-${endTime.slice(0, 5)}`),
    })),
    visits: visitsIn(found).map(tellVisit),
  }),
  summary: (found, language) => {
    const n = visitsIn(found).length;
    return in2(language, `Agenda del ${found.date}: ${count(n, 'cita', 'citas')}`, `Agenda of ${found.date}: ${count(n, 'visit', 'visits')}`);
  },
  say(found, language, cite) {
    const visits = visitsIn(found);
    const source = cite(agendaReference(found.date));
    const on = formatLongDay(found.date, language);
    if (visits.length === 0) return in2(language, `No hay citas el ${on} ${source}.`, `There are no visits on ${on} ${source}.`);
    const head = in2(
      language,
      `${count(visits.length, 'cita', 'citas')} el ${on} ${source}:`,
      `${count(visits.length, 'visit', 'visits')} on ${on} ${source}:`,
    );
    return [head, ...visits.map((visit) => sayVisit(visit, language, cite))].join('\n');
  },
});

const MOST = 60;

export const appointments = tool({
  name: 'appointments',
  about: 'Visits of a stretch of days, of one status if wanted. Use it for unconfirmed, cancelled or missed visits and for more than one day.',
  needs: {},
  args: z.object({
    from: day,
    to: optionalDay,
    status: z.enum(['confirmed', 'pending', 'completed', 'cancelled', 'no_show']).optional(),
    doctor: z.string().max(200).optional().describe('Name or reference of a doctor; absent for all'),
  }),
  async read(asking, { from, to = from, status, doctor }) {
    const ids = doctor ? (await doctorsNamed(asking, doctor)).map(({ id }) => id) : [];
    const [start, end] = [from, to].sort() as [string, string];
    const [only] = ids.length === 1 ? ids : [];
    const filter = { start, end, page: 1, limit: MOST, ...(status && { status }), ...(only && { doctorId: only }) };
    const found = await createClient(AppointmentService, asking.app.neighbour('scheduling')).listAppointments(filter, asking.as);
    return { from: start, to: end, status, total: found.total, visits: found.appointments.map(shownOf) };
  },
  tell: ({ from, to, status, total, visits }) => ({
    source: reference(listReference(from, to, status)),
    from,
    to,
    status: status ?? 'any',
    total,
    visits: visits.map(tellVisit),
  }),
  summary: ({ from, to, total }, language) =>
    in2(language, `Citas del ${from}${to === from ? '' : ` al ${to}`}: ${total}`, `Visits of ${from}${to === from ? '' : ` to ${to}`}: ${total}`),
  say({ from, to, status, total, visits }, language, cite) {
    const kind = status ? ` (${statusIn(status, language)})` : '';
    const span =
      from === to
        ? formatLongDay(from, language)
        : in2(
            language,
            `${formatLongDay(from, language)} al ${formatLongDay(to, language)}`,
            `${formatLongDay(from, language)} to ${formatLongDay(to, language)}`,
          );
    const source = cite(listReference(from, to, status));
    const head = in2(language, `${count(total, 'cita', 'citas')}${kind}, ${span} ${source}`, `${count(total, 'visit', 'visits')}${kind}, ${span} ${source}`);
    return [`${head}${visits.length > 0 ? ':' : '.'}`, ...visits.map((visit) => sayVisit(visit, language, cite, from !== to))].join('\n');
  },
});

function listReference(from: string, to: string, status: string | undefined): Reference {
  const query = `start=${from}&end=${to}${status ? `&status=${status}` : ''}`;
  return {
    kind: 'consulta',
    id: `appointments ${query}`,
    href: `/api/appointments?${query}`,
    label: from === to ? `Citas ${from}` : `Citas ${from} – ${addDays(to, 0)}`,
  };
}
