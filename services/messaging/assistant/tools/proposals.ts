// Tools that propose a change. They change nothing: a proposal is checked as far as possible, shown to the user, and executed only when that user
// confirms it.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { formatClockTime, formatLongDay, type Language } from '@clinic/lib/formats/day-text.ts';
import type { Appointment } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { z } from 'zod';
import type { Proposal } from '../rules/proposal.ts';
import { atTime, inLanguage, sentence } from '../rules/wording.ts';
import { day, text, time } from './argument-schemas.ts';
import { appointmentArg, findOpenAppointment, toMove } from './find-appointment.ts';
import { findBookedPatient, findDoctor, findPatient } from './find-people.ts';
import { defineTool, type ToolContext, ToolProblem } from './tool.ts';

/** More than one, because the search also finds phones that contain the digits. */
const MAX_CONVERSATIONS = 10;

/** Defines a tool whose result is a proposal. */
const defineProposalTool = <A>(name: string, description: string, args: z.ZodType<A>, load: (context: ToolContext, args: A) => Promise<Proposal>) =>
  defineTool<A, Proposal>({
    name,
    description: `${description} This call changes nothing: the person is asked, and only that person can confirm it.`,
    requires: {},
    args,
    load,
    toModel: () => ({ proposed: true, done: false, note: 'The person is being asked to confirm. Say so, and do not say that it is done.' }),
    summary: (_proposal, language) => inLanguage(language, 'Propuesta por confirmar', 'Proposal to be confirmed'),
    toText: ({ summary }, language) => `${sentence(summary)} ${inLanguage(language, '¿Lo confirma?', 'Do you confirm?')}`,
    propose: (proposal) => proposal,
  });

const formatStart = ({ language }: ToolContext, date: string, start: string) =>
  `${inLanguage(language, 'el', 'on')} ${formatLongDay(date, language)} ${atTime(start, language)}`;

/** Throws a ToolProblem unless scheduling currently offers the start. `moved` is the appointment that is moved, if any. */
async function requireFree({ app, asUser }: ToolContext, doctorId: string, date: string, start: string, moved?: Appointment): Promise<void> {
  const { slots } = await app.scheduling.doctors.listSlots({ doctorId, date, ...(moved && toMove(moved)) }, asUser);
  const starts = slots.map(({ startTime }) => startTime.slice(0, 5));
  if (starts.includes(start)) return;
  const freeIn = (language: Language) => starts.map((one) => formatClockTime(one, language)).join(', ');
  const es = sentence(`A esa hora no hay espacio. Libres: ${freeIn('es') || 'ninguno'}`);
  const en = sentence(`That time is not free. Free: ${freeIn('en') || 'none'}`);
  throw new ToolProblem('not_free', es, en, { free_starts: starts });
}

export const proposeBooking = defineProposalTool(
  'propose_booking',
  'Proposes to book an appointment for a known patient, or for a new one by name and phone.',
  z.object({
    patient: text(200).describe('Name or reference of a patient; for a new patient the full name'),
    phone: text(40).optional().describe('Phone of a new patient'),
    doctor: text(200).describe('Name or reference of a doctor'),
    date: day,
    time,
    notes: text(1000).optional(),
  }),
  async (context, { patient, phone, doctor: named, date, time, notes }) => {
    const doctor = await findDoctor(context, named);
    await requireFree(context, doctor.id, date, time);
    const { id, isArchived, fullName: patientName, reachablePhone: patientPhone } = await findBookedPatient(context, patient, phone);
    if (!patientPhone) throw new ToolProblem('no_phone', 'El paciente no tiene teléfono.', 'The patient has no phone.');
    const when = formatStart(context, date, time);
    const summary = inLanguage(
      context.language,
      `Agendar a ${patientName} (${patientPhone}) con ${doctor.fullName} ${when}${notes ? `, con la nota «${notes}»` : ''}`,
      `Book ${patientName} (${patientPhone}) with ${doctor.fullName} ${when}${notes ? `, with the note “${notes}”` : ''}`,
    );
    return { kind: 'book', summary, doctorId: doctor.id, date, time, patientId: isArchived ? undefined : id, patientName, patientPhone, notes };
  },
);

const namesIn = ({ patients, doctors }: Appointment) => [patients?.fullName ?? '', doctors?.fullName ?? ''] as const;
const reason = text(300).optional();

export const proposeCancel = defineProposalTool(
  'propose_cancel',
  'Proposes to cancel one appointment.',
  z.object({ appointment: appointmentArg, reason }),
  async (context, { appointment: name, reason }) => {
    const appointment = await findOpenAppointment(context, name);
    const [patient, doctor] = namesIn(appointment);
    const when = formatStart(context, appointment.appointmentDate, appointment.startTime);
    const summary = inLanguage(
      context.language,
      `Cancelar la cita de ${patient} con ${doctor} ${when}${reason ? `, con el motivo «${reason}»` : ''}`,
      `Cancel the appointment of ${patient} with ${doctor} ${when}${reason ? `, with the reason “${reason}”` : ''}`,
    );
    return { kind: 'cancel', summary, appointmentId: appointment.id, reason };
  },
);

export const proposeMove = defineProposalTool(
  'propose_move',
  'Proposes to move one appointment to another time; with the same doctor by default.',
  z.object({ appointment: appointmentArg, date: day, time, doctor: text(200).optional() }),
  async (context, { appointment: name, date, time, doctor: named }) => {
    const appointment = await findOpenAppointment(context, name);
    const doctor = named ? await findDoctor(context, named) : { id: appointment.doctorId, fullName: appointment.doctors?.fullName ?? '' };
    await requireFree(context, doctor.id, date, time, appointment);
    const [patient] = namesIn(appointment);
    const [from, to] = [formatStart(context, appointment.appointmentDate, appointment.startTime), formatStart(context, date, time)];
    const summary = inLanguage(
      context.language,
      `Mover la cita de ${patient}, que es ${from}: nueva cita con ${doctor.fullName} ${to}`,
      `Move the appointment of ${patient} ${from}: new appointment with ${doctor.fullName} ${to}`,
    );
    return { kind: 'move', summary, appointmentId: appointment.id, doctorId: named ? doctor.id : undefined, date, time };
  },
);

/** Whether the patient has written in the last 24 hours, so that free text may be sent. */
async function isWindowOpen({ app, asUser }: ToolContext, phone: string): Promise<boolean> {
  const { conversations } = await app.messaging.conversations.listConversations({ search: phone, page: 1, limit: MAX_CONVERSATIONS }, asUser);
  const expiresAt = conversations.find((one) => one.phone === phone)?.windowExpiresAt;
  return expiresAt !== undefined && timestampDate(expiresAt) > app.clock.now();
}

export const proposeMessage = defineProposalTool(
  'propose_message',
  'Proposes to write a chat message to one patient.',
  z.object({ patient: text(200).describe('Name or reference of a patient'), text: text(1000) }),
  async (context, { patient: named, text }) => {
    const patient = await findPatient(context, named);
    const phone = patient.reachablePhone;
    if (!phone) throw new ToolProblem('no_phone', 'El paciente no tiene teléfono.', 'The patient has no phone.');
    if (!(await isWindowOpen(context, phone)))
      throw new ToolProblem(
        'window_closed',
        'El paciente no ha escrito en las últimas 24 horas: no se le puede enviar texto libre.',
        'The patient has not written in the last 24 hours: no free text may be sent.',
      );
    const summary = inLanguage(context.language, `Escribir a ${patient.fullName} (${phone}): «${text}»`, `Write to ${patient.fullName} (${phone}): “${text}”`);
    return { kind: 'message', summary, phone, text };
  },
);
