// Finds the appointment that an argument names by its reference name, such as cita-2.
import type { Appointment } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { z } from 'zod';
import { type ToolContext, ToolProblem } from './tool.ts';

export const appointmentArg = z.string().max(40).describe('Reference of an appointment, for example cita-2');

/** Throws a ToolProblem unless the appointment can still be moved or cancelled. */
export async function findOpenAppointment(context: ToolContext, name: string): Promise<Appointment> {
  const known = context.findReference(name.trim());
  if (known?.kind !== 'cita') throw new ToolProblem('no_such_appointment', 'No sé de qué cita se trata.', 'I do not know which appointment is meant.');
  const appointment = await context.app.scheduling.appointments.getAppointment({ id: known.id }, context.asUser);
  if (appointment.status !== 'confirmed' && appointment.status !== 'pending')
    throw new ToolProblem('not_open', 'Esa cita ya no está activa.', 'That appointment is not active any more.');
  return appointment;
}

/** For the free slots to which an appointment can be moved: its length, and its own time counts as free. */
export const toMove = ({ id, durationMinutes }: Appointment) => ({ appointmentId: id, durationMinutes });
