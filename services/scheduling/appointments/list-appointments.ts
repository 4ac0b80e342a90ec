// Appointments by start, with patient and doctor embedded.

import { readTenant } from '@clinic/lib/db/db.ts';
import { checkDate, checkOneOf, checkPage, checkUuid } from '@clinic/lib/formats/check.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListAppointmentsRequest } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import type { App } from '../app.ts';
import { listAppointments as list, toProto } from './appointments.sql.ts';
import { SOURCES, STATUSES } from './status-rules.ts';

export async function listAppointments(app: App, request: ListAppointmentsRequest, call: Call) {
  const { id } = clinicOf(call);
  const { page, limit, offset } = checkPage(request, 50, 500);
  const { date, start, end, status, doctorId, source } = request;
  const filter = {
    date: date === undefined ? undefined : checkDate('date', date),
    start: start === undefined ? undefined : checkDate('start', start),
    end: end === undefined ? undefined : checkDate('end', end),
    status: status === undefined ? undefined : checkOneOf('status', status, STATUSES),
    doctorId: doctorId === undefined ? undefined : checkUuid('doctor_id', doctorId),
    source: source === undefined ? undefined : checkOneOf('source', source, SOURCES),
  };
  const { statement, values } = list(id, filter, limit, offset);
  const appointments = await readTenant(app.db, id, statement, values);
  return { appointments: appointments.filter((appointment) => appointment.id !== null).map(toProto), total: appointments[0]?.total ?? 0, page, limit };
}
