// Lists appointments by start, with patient and doctor embedded, and counts those booked by chat.
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { parseDayRange, parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { parseInteger, parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { CountChatBookingsRequest, ListAppointmentsRequest } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import type { App } from '../app.ts';
import { findZone } from '../clinics/clinics.sql.ts';
import { toProto } from './appointment-row.ts';
import { countChatBookings as count, findTimeConflicts, listAppointments as list, SORTS } from './list-appointments.sql.ts';
import { SOURCES, STATUSES } from './status-rules.ts';

export async function listAppointments(app: App, request: ListAppointmentsRequest, call: Call) {
  const { id, timezone } = clinicOf(call);
  const { page, limit, offset } = parsePage(request, 50, 500);
  const { date, status, doctorId, source, patientId, updatedSince, typeId, resourceId, seriesId } = request;
  const { from: start, to: end } = parseDayRange(request.start, request.end, ['start', 'end']);
  const filter = {
    date: date === undefined ? undefined : parseLocalDate('date', date),
    start,
    end,
    status: status === undefined ? undefined : parseOneOf('status', status, STATUSES),
    doctorId: doctorId === undefined ? undefined : parseUuid('doctor_id', doctorId),
    source: source === undefined ? undefined : parseOneOf('source', source, SOURCES),
    patientId: patientId === undefined ? undefined : parseUuid('patient_id', patientId),
    typeId: typeId === undefined ? undefined : parseUuid('type_id', typeId),
    resourceId: resourceId === undefined ? undefined : parseUuid('resource_id', resourceId),
    seriesId: seriesId === undefined ? undefined : parseUuid('series_id', seriesId),
    lateCancellation: request.lateCancellation,
    updatedSince: updatedSince && timestampDate(updatedSince),
    cancelled: request.cancelled,
    weekday: request.weekday === undefined ? undefined : parseInteger('weekday', request.weekday, 0, 6),
    hour: request.hour === undefined ? undefined : parseInteger('hour', request.hour, 0, 23),
    timeConflict: request.timeConflict === undefined ? undefined : { wanted: request.timeConflict, ids: await timeConflicts(app, id, timezone) },
  };
  const sort = parseOneOf('sort', request.sort ?? 'start', SORTS);
  const { rows, total } = await list(app.db, id, filter, limit, offset, sort);
  return { appointments: rows.map(toProto), total, page, limit };
}

const timeConflicts = async (app: App, clinicId: string, timezone: string) =>
  findTimeConflicts(app.db, clinicId, await findZone(app.db, clinicId, timezone), app.clock.now());

const DAY_MS = 24 * 3_600_000;

/** Appointments that were booked through the chat channel since an instant, by default in the last 24 hours. */
export async function countChatBookings(app: App, request: CountChatBookingsRequest, call: Call) {
  const since = request.since ? timestampDate(request.since) : new Date(app.clock.now().getTime() - DAY_MS);
  return { count: await count(app.db, clinicOf(call).id, since), since: timestampFromDate(since) };
}
