// Does what was confirmed, as the person who confirmed it: the neighbours check that person's rights as they would at the desk. What
// is done carries the proposal's id, so that it is done once even when it is tried again.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { as } from '@clinic/lib/rpc/context.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { AppointmentService } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { createClient } from '@connectrpc/connect';
import type { App } from '../app.ts';
import { lockConversationByPhone, takeOver } from '../conversations/conversations.sql.ts';
import { isWindowOpen, SILENCE_MS } from '../conversations/takeover-rules.ts';
import { send } from '../outbound/send.ts';
import type { Proposal } from './rules/proposal.ts';

/** Returns the id of the appointment or message. Throws what the neighbour refuses with. */
export async function execute(app: App, call: Call, actionId: string, proposal: Proposal): Promise<string> {
  const appointments = createClient(AppointmentService, app.neighbour('scheduling'));
  const options = as(call.caller, `assistant-${actionId}`);
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
      return write(app, call, actionId, proposal);
  }
}

/** As a reply from the desk: who writes has the conversation. */
async function write(app: App, call: Call, actionId: string, { phone, text }: { phone: string; text: string }): Promise<string> {
  const { id: clinicId } = clinicOf(call);
  const now = app.clock.now();
  const id = await inTenant(app.db, clinicId, async (tx) => {
    const conversation = found(await lockConversationByPhone(tx, phone), 'Conversation');
    if (!isWindowOpen(conversation.window_expires_at, now)) fail('CHAT_WINDOW_CLOSED');
    await takeOver(tx, conversation.id, new Date(now.getTime() + SILENCE_MS), call.caller.id);
    const intent = {
      phone,
      kind: 'reply',
      content: { type: 'text' as const, text },
      reference: `assistant-${actionId}`,
      sender: 'user' as const,
      sentBy: call.caller.id,
      priority: 0,
    };
    const sent = await send(tx, intent, now);
    await audit(tx, clinicId, call.caller, { action: 'reply', entity: 'conversation', entityId: conversation.id });
    return sent?.id ?? actionId; // sent before, by a try that did not come to its end
  });
  app.toSend.ring();
  return id;
}
