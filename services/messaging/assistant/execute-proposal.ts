// Does what was confirmed, as the person who confirmed it: the neighbours check that person's rights as they would at the desk. What
// is done carries the proposal's id, so that it is done once even when it is tried again.
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { ConversationService } from '@clinic/proto/messaging/v1/conversation_pb.js';
import { AppointmentService } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { createClient } from '@connectrpc/connect';
import type { App } from '../app.ts';
import type { Proposal } from './rules/proposal.ts';

/** Returns the id of the appointment or message. Throws what the neighbour refuses with. */
export async function execute(app: App, call: Call, actionId: string, proposal: Proposal): Promise<string> {
  const appointments = createClient(AppointmentService, app.neighbour('scheduling'));
  const options = callAs(call.caller, `assistant-${actionId}`);
  switch (proposal.kind) {
    case 'book': {
      const { doctorId, date, time, patientName, patientPhone, notes } = proposal;
      const booking = { doctorId, appointmentDate: date, startTime: time, patientName, patientPhone, ...(notes !== undefined && { notes }) };
      return (await appointments.bookAppointment(booking, options)).id;
    }
    case 'move': {
      const { appointmentId: id, doctorId, date: appointmentDate, time: startTime } = proposal;
      return (await appointments.rescheduleAppointment({ id, appointmentDate, startTime, ...(doctorId !== undefined && { doctorId }) }, options)).id;
    }
    case 'cancel': {
      const { appointmentId: id, reason } = proposal;
      return (await appointments.updateAppointmentStatus({ id, status: 'cancelled', ...(reason && { cancellationReason: reason }) }, options)).id;
    }
    case 'message':
      return (await createClient(ConversationService, app.neighbour('messaging')).reply({ phone: proposal.phone, message: proposal.text }, options)).id;
  }
}
