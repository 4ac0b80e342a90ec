// Moves the upcoming appointments of a series, from a date on. Each moves by the same number of days. A refused one remains where it is, but its date
// in the series moves too, so a repeated request tries only that one again.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { fail, found, invalid } from '@clinic/lib/errors/errors.ts';
import { emitAll } from '@clinic/lib/events/outbox.ts';
import { parseClockTime } from '@clinic/lib/formats/clock-time.ts';
import { addDays, daysBetween, parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { isUuid, parseUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { AppointmentRescheduledSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { AppointmentSchema } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { AppointmentSeriesService, type RescheduleSeriesRequest } from '@clinic/proto/scheduling/v1/appointment_series_pb.js';
import type { App } from '../app.ts';
import { type EmbeddedRow, toProto } from '../appointments/appointment-row.ts';
import { lockUpcomingOfSeries, type RowOfSeries } from '../appointments/appointments.sql.ts';
import { isAt, type Moved, moveBooking } from '../appointments/reschedule-appointment.ts';
import { findDoctorWithHours } from '../doctors/doctors.sql.ts';
import { lockDay } from '../slots/doctor-day.sql.ts';
import { findMovedNeedsIn } from '../slots/moved-needs.sql.ts';
import { NO_NEEDS } from '../slots/slot-needs.ts';
import { existsSeries, setSeriesDate } from './appointment-series.sql.ts';
import { type Refused, refuseUnless, trySlot } from './try-slots.ts';

export async function rescheduleSeries(app: App, request: RescheduleSeriesRequest, call: Call) {
  const clinic = clinicOf(call);
  const from = parseLocalDate('from', request.from);
  const firstDate = request.appointmentDate === undefined ? undefined : parseLocalDate('appointmentDate', request.appointmentDate);
  const startTime = request.startTime === undefined ? undefined : parseClockTime('startTime', request.startTime);
  const doctorId = request.doctorId === undefined ? undefined : parseUuid('doctorId', request.doctorId);
  if (!firstDate && !startTime && !doctorId) invalid('appointmentDate', 'is required without startTime and doctorId');
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Series not found');
  if (doctorId) found(await findDoctorWithHours(app.db, clinic.id, doctorId), 'Doctor');
  const now = app.clock.now();
  return idempotent(app.db, call, AppointmentSeriesService.method.rescheduleSeries, request, async (tx) => {
    const since = firstDate && firstDate < from ? firstDate : from;
    const all = await lockUpcomingOfSeries(tx, request.id, since, now);
    // A repeated request that moved the first appointment to a date before `from` starts with that one again.
    const isMoved = (one: RowOfSeries) =>
      since < from && isAt(one, { doctorId: doctorId ?? one.doctor_id, date: since, startTime: startTime ?? one.start_time });
    const upcoming = (all.some(isMoved) ? all : all.filter(({ appointment_date }) => appointment_date >= from)).toSorted((a, b) =>
      dateOf(a) < dateOf(b) ? -1 : 1,
    );
    const [first] = upcoming;
    if (!first) return (await existsSeries(tx, request.id)) ? { moved: [], refused: [] } : fail('NOT_FOUND', 'Series not found');
    const days = firstDate === undefined ? 0 : daysBetween(dateOf(first), firstDate);
    // All calendars are locked at once, in the order of the doctors' ids.
    await lockDay(tx, ...new Set([...upcoming.map(({ doctor_id }) => doctor_id), ...(doctorId ? [doctorId] : [])]));
    const moved: MessageInitShape<typeof AppointmentSchema>[] = [];
    const refused: Refused[] = [];
    const moves: { event: Moved; before: EmbeddedRow }[] = [];
    // An appointment may move to the current time of another one of the series, so the other one moves first.
    for (const before of days > 0 ? upcoming.toReversed() : upcoming) {
      const target = {
        doctorId: doctorId ?? before.doctor_id,
        date: addDays(dateOf(before), days),
        startTime: startTime ?? before.start_time.slice(0, 5),
        outsideHours: request.outsideHours,
        durationMinutes: before.duration_minutes,
        resourceId: null,
      };
      if (isAt(before, target)) {
        moved.push(toProto(before));
        if (before.series_date) await setSeriesDate(tx, before.id, target.date);
        continue;
      }
      const needs = {
        ...NO_NEEDS,
        typeId: before.type_id,
        durationMinutes: before.duration_minutes,
        resourceKind: (await findMovedNeedsIn(tx, before.id))?.resource_kind ?? null,
      };
      const move = () => moveBooking(app, tx, call, before, target, async (event) => void moves.push({ event, before }));
      const tried = await trySlot(tx, clinic, { ...target, needs }, now, move, { appointmentId: before.id });
      if ('taken' in tried) moved.push(tried.taken);
      else {
        refused.push({ ...tried, id: before.id });
        await setSeriesDate(tx, before.id, target.date);
      }
    }
    refuseUnless(moved.length, refused, request.allOrNothing);
    const position = (index: number) => (moves.length === 1 ? 0 : days > 0 ? moves.length - index : index + 1);
    const positioned = moves.map(({ event }, index) => ({ clinicId: clinic.id, init: { ...event, seriesPosition: position(index) } }));
    await emitAll(tx, AppointmentRescheduledSchema, positioned);
    // Only now, because another appointment of the series may have moved to a slot that one left.
    for (const { before } of moves) await app.onSlotFreed(tx, clinic, before, now);
    return days > 0 ? { moved: moved.reverse(), refused: refused.reverse() } : { moved, refused };
  });
}

/** The date of the appointment in its series. */
const dateOf = ({ series_date, appointment_date }: RowOfSeries): string => series_date ?? appointment_date;
