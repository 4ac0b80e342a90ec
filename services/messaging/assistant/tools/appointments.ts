// Tools that list appointments: of one day by doctor, and of several days by status.
import { counted } from '@clinic/lib/formats/counted.ts';
import { formatClockTime, formatLongDay, type Language } from '@clinic/lib/formats/day-text.ts';
import type { Agenda } from '@clinic/proto/scheduling/v1/agenda_pb.js';
import type { Appointment } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { z } from 'zod';
import { freeText, person, queryReference, type Reference, reference } from '../rules/tool-output.ts';
import { inLanguage, listLines, type StatusNames, statusIn } from '../rules/wording.ts';
import { day, optionalDay, optionalDoctor } from './argument-schemas.ts';
import { doctorReference, findDoctor, findDoctors, patientToModel } from './find-people.ts';
import { type Cite, defineTool } from './tool.ts';

type FoundAppointment = Pick<Appointment, 'id' | 'startTime' | 'status' | 'notes' | 'patients'> & { date: string; doctorName: string };

export const appointmentReference = ({ id, date, startTime }: { id: string; date: string; startTime: string }): Reference => ({
  kind: 'cita',
  id,
  href: `/api/appointments/${id}`,
  label: `${date} ${startTime.slice(0, 5)}`,
});

const STATUSES: StatusNames = {
  confirmed: ['confirmada', 'confirmed'],
  pending: ['sin confirmar', 'unconfirmed'],
  completed: ['atendida', 'completed'],
  cancelled: ['cancelada', 'cancelled'],
  no_show: ['no llegó', 'missed'],
};

export const appointmentToModel = (appointment: FoundAppointment) => ({
  ref: reference(appointmentReference(appointment)),
  date: appointment.date,
  start: appointment.startTime.slice(0, 5),
  status: appointment.status,
  patient: appointment.patients && patientToModel(appointment.patients),
  doctor: person(appointment.doctorName),
  notes: freeText(appointment.notes),
});

export function appointmentToText(appointment: FoundAppointment, language: Language, cite: Cite, withDay = false): string {
  const { date, startTime, patients: patient, doctorName, status } = appointment;
  const when = `${withDay ? `${formatLongDay(date, language)}, ` : ''}${formatClockTime(startTime, language)}`;
  return `- ${when}: ${patient?.fullName ?? ''}, ${doctorName} (${statusIn(STATUSES, status, language)}) ${cite(appointmentReference(appointment))}`;
}

export const toFoundAppointment = (appointment: Appointment): FoundAppointment => ({
  ...appointment,
  date: appointment.appointmentDate,
  doctorName: appointment.doctors?.fullName ?? '',
});

const countEs = (n: number) => counted(n, 'cita', 'citas');
const countEn = (n: number) => counted(n, 'appointment', 'appointments');
const agendaReference = (date: string) => queryReference(`agenda ${date}`, `/api/agenda?date=${date}`, `Agenda ${date}`);

/** The appointments of all doctors, by start. */
export const appointmentsIn = ({ date, doctors }: Agenda) =>
  doctors
    .flatMap(({ fullName, visits }) => visits.map((appointment) => ({ ...appointment, date, doctorName: fullName }))) // plain-words: visits is public
    .sort((a, b) => (a.startTime < b.startTime ? -1 : 1));

export const agenda = defineTool({
  name: 'agenda',
  description: 'The appointments and gaps of one day, by doctor. Use it for questions about a day.',
  requires: { feature: 'daily_agenda' },
  args: z.object({ date: optionalDay, doctor: optionalDoctor }),
  async load(context, { date = context.today, doctor }) {
    const ids = doctor ? (await findDoctors(context, doctor)).map(({ id }) => id) : undefined;
    const found = await context.app.scheduling.agenda.getAgenda({ date }, context.asUser);
    return ids ? { ...found, doctors: found.doctors.filter(({ doctorId }) => ids.includes(doctorId)) } : found;
  },
  toModel: (found) => ({
    source: reference(agendaReference(found.date)),
    date: found.date,
    doctors: found.doctors.map(({ doctorId, fullName, onVacation, gaps, ...doctor }) => ({
      ref: reference(doctorReference({ id: doctorId, fullName })),
      name: person(fullName),
      on_vacation: onVacation,
      appointments: doctor.visits.length, // plain-words: visits is public
      gaps: gaps.map(({ startTime, endTime }) => `${startTime.slice(0, 5)}-${endTime.slice(0, 5)}`),
    })),
    appointments: appointmentsIn(found).map(appointmentToModel),
  }),
  summary: (found, language) => {
    const n = appointmentsIn(found).length;
    return inLanguage(language, `Agenda del ${found.date}: ${countEs(n)}`, `Agenda of ${found.date}: ${countEn(n)}`);
  },
  toText(found, language, cite) {
    const all = appointmentsIn(found);
    const source = cite(agendaReference(found.date));
    const on = formatLongDay(found.date, language);
    if (all.length === 0) return inLanguage(language, `No hay citas el ${on} ${source}.`, `There are no appointments on ${on} ${source}.`);
    const head = inLanguage(language, `${countEs(all.length)} el ${on} ${source}:`, `${countEn(all.length)} on ${on} ${source}:`);
    return [head, ...all.map((appointment) => appointmentToText(appointment, language, cite))].join('\n');
  },
});

const MAX_APPOINTMENTS = 60;

export const appointments = defineTool({
  name: 'appointments',
  description: 'Appointments of several days, of one status if wanted. Use it for unconfirmed, cancelled or missed appointments and for more than one day.',
  requires: {},
  args: z.object({
    from: day,
    to: optionalDay,
    status: z.enum(['confirmed', 'pending', 'completed', 'cancelled', 'no_show']).optional(),
    doctor: optionalDoctor,
  }),
  async load(context, { from, to = from, status, doctor }) {
    const doctorId = doctor ? (await findDoctor(context, doctor)).id : undefined;
    const [start, end] = [from, to].sort() as [string, string];
    const filter = { start, end, page: 1, limit: MAX_APPOINTMENTS, status, doctorId };
    const listed = await context.app.scheduling.appointments.listAppointments(filter, context.asUser);
    return { from: start, to: end, status, total: listed.total, appointments: listed.appointments.map(toFoundAppointment) };
  },
  toModel: ({ from, to, status, total, appointments }) => ({
    source: reference(listReference(from, to, status)),
    from,
    to,
    status: status ?? 'any',
    total,
    appointments: appointments.map(appointmentToModel),
  }),
  summary: ({ from, to, total }, language) =>
    inLanguage(language, `Citas del ${from}${to === from ? '' : ` al ${to}`}: ${total}`, `Appointments of ${from}${to === from ? '' : ` to ${to}`}: ${total}`),
  toText({ from, to, status, total, appointments }, language, cite) {
    const kind = status ? ` (${statusIn(STATUSES, status, language)})` : '';
    const [first, last] = [formatLongDay(from, language), formatLongDay(to, language)];
    const span = from === to ? first : `${first} ${inLanguage(language, 'al', 'to')} ${last}`;
    const head = `${inLanguage(language, countEs(total), countEn(total))}${kind}, ${span} ${cite(listReference(from, to, status))}`;
    return [
      `${head}${appointments.length > 0 ? ':' : '.'}`,
      ...listLines(
        appointments.map((appointment) => appointmentToText(appointment, language, cite, from !== to)),
        total,
        language,
      ),
    ].join('\n');
  },
});

function listReference(from: string, to: string, status: string | undefined) {
  const query = `start=${from}&end=${to}${status ? `&status=${status}` : ''}`;
  return queryReference(`appointments ${query}`, `/api/appointments?${query}`, from === to ? `Citas ${from}` : `Citas ${from} – ${to}`);
}
