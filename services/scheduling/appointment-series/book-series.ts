// Books the appointments of a series, or previews the booking.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { inTenant } from '@clinic/lib/db/db.ts';
import { parseClockTime } from '@clinic/lib/formats/clock-time.ts';
import { parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import type { CallerClinic } from '@clinic/lib/rpc/caller.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { AppointmentSchema } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { AppointmentSeriesService, type BookSeriesRequest, type PreviewSeriesRequest } from '@clinic/proto/scheduling/v1/appointment_series_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { insertBooking } from '../appointments/insert-booking.ts';
import { MAX_NOTES } from '../appointments/status-rules.ts';
import { parsePatientRef, resolvePatient } from '../patients/booked-patient.ts';
import { claimSlot, lockDoctorAndResources } from '../slots/claim-slot.ts';
import { refuseFarDate } from '../slots/farthest-date-rules.ts';
import { parseNeeds, QUERY, resolveNeeds } from '../slots/slot-needs.ts';
import { datesOf } from './series-rules.ts';
import { type Refused, refuseUnless, trySlot } from './try-slots.ts';

const QUERY_NAMES = { doctor: 'doctor_id', date: 'appointment_date', time: 'start_time', weeks: 'weeks' };

/** Claims the slots as bookSeries() does, but writes nothing. */
export async function previewSeries(app: App, request: PreviewSeriesRequest, call: Call) {
  const clinic = clinicOf(call);
  const now = app.clock.now();
  const { dates, ...series } = parseSeries(request, request.weeks, QUERY_NAMES, clinic, now);
  const requested = parseNeeds(request, QUERY);
  return inTenant(app.db, clinic.id, async (tx) => {
    const needs = await resolveNeeds(tx, series.doctorId, requested, QUERY);
    const free: { date: string; startTime: string; endTime: string }[] = [];
    const refused: Refused[] = [];
    for (const date of dates) {
      const wanted = { ...series, date, needs };
      const tried = await trySlot(tx, clinic, wanted, now, () => claimSlot(tx, clinic, wanted, now));
      if ('taken' in tried) free.push({ date, startTime: tried.taken.slot.startTime, endTime: tried.taken.slot.endTime });
      else refused.push(tried);
    }
    return { free, refused };
  });
}

const BODY_NAMES = { doctor: 'doctorId', date: 'appointmentDate', time: 'startTime', weeks: 'every.weeks' };

/** Books all appointments in one transaction. */
export async function bookSeries(app: App, request: BookSeriesRequest, call: Call) {
  const clinic = clinicOf(call);
  const now = app.clock.now();
  const { dates, ...series } = parseSeries(request, request.every?.weeks ?? 0, BODY_NAMES, clinic, now);
  const ref = parsePatientRef(request, clinic.country);
  const notes = parseOptionalText('notes', request.notes, MAX_NOTES);
  const requested = parseNeeds(request);
  return idempotent(app.db, call, AppointmentSeriesService.method.bookSeries, request, async (tx) => {
    const needs = await resolveNeeds(tx, series.doctorId, requested);
    // Before the patient, as by a single booking.
    await lockDoctorAndResources(tx, series.doctorId, needs);
    const patient = await resolvePatient(tx, call.caller, ref, now);
    const series_id = v7();
    const booked: MessageInitShape<typeof AppointmentSchema>[] = [];
    const refused: Refused[] = [];
    for (const date of dates) {
      const wanted = { ...series, date, needs };
      const tried = await trySlot(tx, clinic, wanted, now, async () => {
        const claimed = await claimSlot(tx, clinic, wanted, now);
        return insertBooking(tx, call, claimed, { wanted, patient, source: 'manual', notes, idempotency_key: `MANUAL_${v7()}`, series_id }, now);
      });
      if ('taken' in tried) booked.push(tried.taken);
      else refused.push(tried);
    }
    refuseUnless(booked.length, refused, request.allOrNothing);
    return { id: series_id, booked, refused };
  });
}

/** The fields that previews and bookings share. `names` are those of the request in error messages. */
function parseSeries(request: PreviewSeriesRequest | BookSeriesRequest, weeks: number, names: typeof BODY_NAMES, { timezone }: CallerClinic, now: Date) {
  const doctorId = parseUuid(names.doctor, request.doctorId);
  const first = parseLocalDate(names.date, request.appointmentDate);
  const startTime = parseClockTime(names.time, request.startTime);
  const dates = datesOf(first, parseInteger(names.weeks, weeks, 1, 52), parseInteger('count', request.count, 2, 52));
  refuseFarDate(names.date, first, timezone, now);
  refuseFarDate('count', dates.at(-1) ?? first, timezone, now);
  return { doctorId, dates, startTime, outsideHours: request.outsideHours };
}
