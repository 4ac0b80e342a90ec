// Lists the messages about an appointment that its patient was sent, and those still to be sent.
import { found } from '@clinic/lib/errors/errors.ts';
import { toTimestamp } from '@clinic/lib/formats/timestamp.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetAppointmentMessagesRequest } from '@clinic/proto/messaging/v1/bot_pb.js';
import type { App } from '../app.ts';
import { describeReason } from '../outbound/message-kinds-rules.ts';
import { toStatus } from '../outbound/outbound.sql.ts';
import { findAppointment } from './find-appointment.ts';
import { type AppointmentMessageRow, listAppointmentMessages } from './reminders.sql.ts';

export async function getAppointmentMessages(app: App, { id }: GetAppointmentMessagesRequest, call: Call) {
  const clinic = clinicOf(call);
  found(isUuid(id) ? await findAppointment(app, clinic.id, id) : undefined, 'Appointment');
  return { messages: (await listAppointmentMessages(app.db, clinic.id, id)).map(toProto) };
}

function toProto({ kind, status, due_at, sent_at, reason, detail }: AppointmentMessageRow) {
  const why = reason ? { reason, detail: detail || describeReason(reason) } : {};
  return { kind, status: toStatus(status, reason), dueAt: toTimestamp(due_at), sentAt: toTimestamp(sent_at), ...why };
}
