// Executes a proposal as the user who confirmed it, so that the called service checks that user's rights. The idempotency key is derived from the
// proposal's id, so that a second attempt has no further effect.
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { App } from '../app.ts';
import type { Proposal } from './rules/proposal.ts';

/** Returns the id of the appointment or message. Throws the error with which the called service refuses. */
export async function executeProposal(app: App, call: Call, actionId: string, proposal: Proposal): Promise<string> {
  const { appointments } = app.scheduling;
  const options = callAs(call.caller, `assistant-${actionId}`);
  switch (proposal.kind) {
    case 'book': {
      const { doctorId, date, time, patientId, patientName, patientPhone, notes } = proposal;
      const patient = patientId ? { patientId } : { patientName, patientPhone };
      const booking = { doctorId, appointmentDate: date, startTime: time, ...patient, notes };
      return (await appointments.bookAppointment(booking, options)).id;
    }
    case 'move': {
      const { appointmentId: id, doctorId, date: appointmentDate, time: startTime } = proposal;
      return (await appointments.rescheduleAppointment({ id, appointmentDate, startTime, doctorId }, options)).id;
    }
    case 'cancel': {
      const { appointmentId: id, reason: cancellationReason } = proposal;
      return (await appointments.updateAppointmentStatus({ id, status: 'cancelled', cancellationReason }, options)).id;
    }
    case 'message':
      return (await app.messaging.conversations.reply({ phone: proposal.phone, message: proposal.text }, options)).id;
  }
}
