// What the assistant may propose to do. Nothing is done here: a proposal is checked as far as it can be, shown to the person who
// asks, and done only when that person confirms it.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { formatClockTime, formatLongDay } from '@clinic/lib/formats/day-text.ts';
import { ConversationService } from '@clinic/proto/messaging/v1/conversation_pb.js';
import { type Appointment, AppointmentService } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { createClient } from '@connectrpc/connect';
import { z } from 'zod';
import type { Proposal } from '../rules/proposal.ts';
import { day, text, time } from './argument-schemas.ts';
import { doctorNamed, patientNamed } from './find-people.ts';
import { type Asking, in2, ToolProblem, tool } from './tool.ts';

/** Conversations whose phone holds the digits of another. */
const FOUND = 10;

/** A proposal tool: what it finds is the proposal. */
const proposalTool = <A>(name: string, about: string, args: z.ZodType<A>, read: (asking: Asking, args: A) => Promise<Proposal>) =>
  tool<A, Proposal>({
    name,
    about: `${about} Nothing is done by this call: the person is asked, and only that person can have it done.`,
    needs: {},
    args,
    read,
    tell: () => ({ proposed: true, done: false, note: 'The person is being asked to confirm. Say so, and do not say that it is done.' }),
    summary: (_proposal, language) => in2(language, 'Propuesta por confirmar', 'Proposal to be confirmed'),
    say: ({ summary }, language) => in2(language, `${summary}. ¿Lo confirma?`, `${summary}. Do you confirm?`),
    propose: (proposal) => proposal,
  });

const at = ({ language }: Asking, date: string, start: string) =>
  in2(
    language,
    `el ${formatLongDay(date, language)} a las ${formatClockTime(start, language)}`,
    `on ${formatLongDay(date, language)} at ${formatClockTime(start, language)}`,
  );

/** Refuses a start that scheduling does not offer now. */
async function checkFree(asking: Asking, doctorId: string, date: string, start: string): Promise<void> {
  const { slots } = await createClient(DoctorService, asking.app.neighbour('scheduling')).listSlots({ doctorId, date }, asking.as);
  const starts = slots.map(({ startTime }) => startTime.slice(0, 5));
  if (starts.includes(start)) return;
  const message = in2(
    asking.language,
    `A esa hora no hay espacio. Libres: ${starts.join(', ') || 'ninguno'}.`,
    `That time is not free. Free: ${starts.join(', ') || 'none'}.`,
  );
  throw new ToolProblem('not_free', message, { free_starts: starts });
}

export const proposeBooking = proposalTool(
  'propose_booking',
  'Proposes to book a visit for a known patient, or for a new one by name and phone.',
  z.object({
    patient: text(200).describe('Name or reference of a patient; for a new patient the full name'),
    phone: text(40).optional().describe('Phone of a new patient'),
    doctor: text(200).describe('Name or reference of a doctor'),
    date: day,
    time,
    notes: text(1000).optional(),
  }),
  async (asking, { patient, phone, doctor: named, date, time, notes }) => {
    const doctor = await doctorNamed(asking, named);
    await checkFree(asking, doctor.id, date, time);
    const who = phone ? { fullName: patient, reachablePhone: phone } : await patientNamed(asking, patient);
    if (!who.reachablePhone) throw new ToolProblem('no_phone', in2(asking.language, 'El paciente no tiene teléfono.', 'The patient has no phone.'));
    const when = at(asking, date, time);
    const summary = in2(
      asking.language,
      `Agendar a ${who.fullName} (${who.reachablePhone}) con ${doctor.fullName} ${when}`,
      `Book ${who.fullName} (${who.reachablePhone}) with ${doctor.fullName} ${when}`,
    );
    return { kind: 'book', summary, doctorId: doctor.id, date, time, patientName: who.fullName, patientPhone: who.reachablePhone, notes };
  },
);

/** A visit that can still be moved or cancelled. */
async function openVisit(asking: Asking, word: string): Promise<Appointment> {
  const known = asking.recordOf(word.trim());
  if (known?.kind !== 'cita')
    throw new ToolProblem('no_such_visit', in2(asking.language, 'No sé de qué cita se trata.', 'I do not know which visit is meant.'));
  const visit = await createClient(AppointmentService, asking.app.neighbour('scheduling')).getAppointment({ id: known.id }, asking.as);
  if (visit.status !== 'confirmed' && visit.status !== 'pending')
    throw new ToolProblem('not_open', in2(asking.language, 'Esa cita ya no está activa.', 'That visit is not active any more.'));
  return visit;
}

const whose = ({ patients, doctors }: Appointment) => [patients?.fullName ?? '', doctors?.fullName ?? ''] as const;
const reason = text(300).optional();
const visitArg = z.string().max(40).describe('Reference of a visit, for example cita-2');

export const proposeCancel = proposalTool(
  'propose_cancel',
  'Proposes to cancel one visit.',
  z.object({ visit: visitArg, reason }),
  async (asking, { visit: word, reason }) => {
    const visit = await openVisit(asking, word);
    const [name, doctor] = whose(visit);
    const when = at(asking, visit.appointmentDate, visit.startTime);
    const summary = in2(asking.language, `Cancelar la cita de ${name} con ${doctor} ${when}`, `Cancel the visit of ${name} with ${doctor} ${when}`);
    return { kind: 'cancel', summary, appointmentId: visit.id, reason };
  },
);

export const proposeMove = proposalTool(
  'propose_move',
  'Proposes to move one visit to another time, with the same doctor unless told.',
  z.object({ visit: visitArg, date: day, time, doctor: text(200).optional() }),
  async (asking, { visit: word, date, time, doctor: named }) => {
    const visit = await openVisit(asking, word);
    const doctor = named ? await doctorNamed(asking, named) : { id: visit.doctorId, fullName: visit.doctors?.fullName ?? '' };
    await checkFree(asking, doctor.id, date, time);
    const [name] = whose(visit);
    const [from, to] = [at(asking, visit.appointmentDate, visit.startTime), at(asking, date, time)];
    const summary = in2(
      asking.language,
      `Mover la cita de ${name}, que es ${from}: nueva cita con ${doctor.fullName} ${to}`,
      `Move the visit of ${name} ${from}: new visit with ${doctor.fullName} ${to}`,
    );
    return { kind: 'move', summary, appointmentId: visit.id, doctorId: named ? doctor.id : undefined, date, time };
  },
);

/** Whether the patient has written in the last 24 hours. */
async function mayWrite({ app, as }: Asking, phone: string): Promise<boolean> {
  const client = createClient(ConversationService, app.neighbour('messaging'));
  const { conversations } = await client.listConversations({ search: phone, page: 1, limit: FOUND }, as);
  const expiresAt = conversations.find((one) => one.phone === phone)?.windowExpiresAt;
  return expiresAt !== undefined && timestampDate(expiresAt) > app.clock.now();
}

export const proposeMessage = proposalTool(
  'propose_message',
  'Proposes to write a chat message to one patient.',
  z.object({ patient: text(200).describe('Name or reference of a patient'), text: text(1000) }),
  async (asking, { patient: named, text }) => {
    const patient = await patientNamed(asking, named);
    const phone = patient.reachablePhone;
    if (!phone) throw new ToolProblem('no_phone', in2(asking.language, 'El paciente no tiene teléfono.', 'The patient has no phone.'));
    if (!(await mayWrite(asking, phone))) {
      const message = in2(
        asking.language,
        'El paciente no ha escrito en las últimas 24 horas: no se le puede escribir.',
        'The patient has not written in the last 24 hours: no free text may be sent.',
      );
      throw new ToolProblem('window_closed', message);
    }
    const summary = in2(asking.language, `Escribir a ${patient.fullName} (${phone}): «${text}»`, `Write to ${patient.fullName} (${phone}): “${text}”`);
    return { kind: 'message', summary, phone, text };
  },
);
