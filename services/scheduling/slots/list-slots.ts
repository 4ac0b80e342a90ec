// The free slots of a doctor.
import { found } from '@clinic/lib/errors/errors.ts';
import { parseLocalDate, parseMonth } from '@clinic/lib/formats/local-date.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListAvailabilityRequest, ListSlotsRequest } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import type { App } from '../app.ts';
import { findDoctorDay, spanOf, toBusy, toSchedule } from './doctor-day.sql.ts';
import { farthestDate, refuseFarDate } from './farthest-date-rules.ts';
import { freeByDay } from './month-rules.ts';
import { findOwnSchedule, parseNeeds, QUERY } from './slot-needs.ts';
import { freeSlots } from './slots-rules.ts';
import { findMonth, monthSpan } from './timetable.sql.ts';

/** The free slots of one day. */
export async function listSlots(app: App, request: ListSlotsRequest, call: Call) {
  const { id, timezone } = clinicOf(call);
  const now = app.clock.now();
  const date = parseLocalDate('date', request.date);
  refuseFarDate('date', date, timezone, now);
  const needs = parseNeeds(request, QUERY);
  const except = parseExcept(request);
  const doctor = found(await findDoctorDay(app.db, id, request.doctorId, date, timezone, now, except), 'Doctor');
  const own = await findOwnSchedule(app.db, id, request.doctorId, needs, spanOf(doctor.day, date), now, except);
  const slots = doctor.is_active && own ? freeSlots({ ...toSchedule(doctor), ...own }, doctor.day, now.getTime()) : [];
  return { slots: slots.map(({ startTime, endTime }) => ({ startTime, endTime })) };
}

/** The number of free slots on each day of a month. */
export async function listAvailability(app: App, request: ListAvailabilityRequest, call: Call) {
  return { days: (await listFreeTimes(app, request, call)).map(({ date, times }) => ({ date, free: times.length })) };
}

/** The start times of the free slots on each day of a month, from one statement. */
export async function listFreeTimes(app: App, request: ListAvailabilityRequest, call: Call): Promise<{ date: string; times: string[] }[]> {
  const { id, timezone } = clinicOf(call);
  const month = parseMonth('month', request.month);
  const now = app.clock.now();
  refuseFarDate('month', month, timezone, now);
  const except = parseExcept(request);
  const doctor = found(await findMonth(app.db, id, request.doctorId, month, timezone, now, except), 'Doctor');
  const needs = parseNeeds(request, QUERY);
  const own = await findOwnSchedule(app.db, id, request.doctorId, needs, monthSpan(month, doctor.timezone), now, except);
  const schedule = {
    ...doctor,
    ...own,
    hours: doctor.is_active && own ? doctor.hours : [],
    consultationMinutes: doctor.consultation_duration_minutes,
    bufferMinutes: doctor.buffer_time_minutes,
    ...toBusy(doctor),
  };
  const farthest = farthestDate(timezone, now);
  return freeByDay(month, schedule, doctor.timezone, now.getTime()).map((day) => (day.date > farthest ? { ...day, times: [] } : day));
}

/** The appointment that is to be moved. */
const parseExcept = ({ appointmentId }: Pick<ListSlotsRequest, 'appointmentId'>) => ({
  appointmentId: appointmentId === undefined ? undefined : parseUuid('appointment_id', appointmentId),
});
