// Questions to the assistant, and the data that other services return for them.
import { randomUUID } from 'node:crypto';
import { fail } from '@clinic/lib/errors/errors.ts';
import { asUser } from '@clinic/lib/testing/callers.ts';
import type { CallOptions } from '@connectrpc/connect';
import { type Assistant, agendaAppointment, agendaOf, luis, maria, rivas } from './assistant.ts';

type Received = {
  text: string;
  tools: string[];
  confirms: { actionId: string; summary: string }[];
  error?: string;
  done?: { conversationId: string; source: string };
  events: string[];
};

/** Asks the assistant and collects the events of its answer. */
export async function ask(s: Assistant, message: string, options: CallOptions, conversationId?: string): Promise<Received> {
  const asked: Received = { text: '', tools: [], confirms: [], events: [] };
  const request = { message, ...(conversationId && { conversationId }) };
  for await (const { event } of s.assistant.chat(request, options)) {
    if (event.case) asked.events.push(event.case);
    if (event.case === 'token') asked.text += event.value.text;
    if (event.case === 'tool') asked.tools.push(`${event.value.name}: ${event.value.summary}`);
    if (event.case === 'confirm') asked.confirms.push({ actionId: event.value.actionId, summary: event.value.summary });
    if (event.case === 'error') asked.error = event.value.code;
    if (event.case === 'done') asked.done = { conversationId: event.value.conversationId, source: event.value.source };
  }
  return asked;
}

/** A new clinic, a user of it, a colleague, and a user of another clinic with the same id. */
export function newUser(role = 'receptionist') {
  const [id, userId] = [randomUUID(), randomUUID()];
  return { id, userId, user: asUser(id, { userId, role }), colleague: asUser(id), foreignUser: asUser(randomUUID(), { userId }) };
}

const slots = ['09:00', '09:30', '10:00'].map((start) => ({ startTime: start, endTime: start }));

/** María has an appointment tomorrow at nine, with a note. */
export function mariaComes(s: Assistant, notes = 'Alergia') {
  const booked = {
    id: randomUUID(),
    appointmentDate: '2026-11-22',
    startTime: '09:00:00',
    status: 'confirmed',
    doctorId: rivas.id,
    patientId: maria.id,
    notes,
  };
  const appointment = { ...booked, patients: maria, doctors: rivas };
  const found = { id: maria.id, fullName: maria.fullName, phone: maria.phone, reachablePhone: maria.phone };
  s.answers.listPatients = ({ search }) => {
    const patients = [maria, luis].filter(({ fullName }) =>
      fullName.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '').includes(search.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '')),
    );
    return { patients, total: patients.length };
  };
  s.answers.findPatient = ({ id }) => (id === maria.id ? found : fail('NOT_FOUND', 'Patient not found'));
  s.answers.listUpcomingAppointments = () => ({ appointments: [appointment] });
  s.answers.listTreatmentPlans = () => ({ plans: [] });
  s.answers.getAppointment = ({ id }) => (id === appointment.id ? appointment : fail('NOT_FOUND'));
  s.answers.listSlots = () => ({ slots });
  s.answers.getAgenda = ({ date }) =>
    agendaOf(date, date === '2026-11-22' ? [{ ...agendaAppointment(maria, '09:00', 'confirmed', notes), id: booked.id }] : []);
  return appointment;
}

/** The audit log of the clinic. */
export const auditOf = (s: Assistant, clinicId: string) =>
  s.look('select action, entity_id, actor_id, changes from audit_log where clinic_id = $1 order by at, id', [clinicId]);
