// Books the appointments of a series in one transaction.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { AppointmentSchema } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import { AppointmentSeriesService, type BookSeriesRequest } from '@clinic/proto/scheduling/v1/appointment_series_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { insertBooking } from '../appointments/insert-booking.ts';
import { MAX_NOTES } from '../appointments/status-rules.ts';
import { parsePatientRef, resolvePatient } from '../patients/booked-patient.ts';
import { claimSlot } from '../slots/claim-slot.ts';
import { lockDay } from '../slots/doctor-day.sql.ts';
import { parseNeeds, resolveNeeds } from '../slots/slot-needs.ts';
import { parseSeries } from './parse-series.ts';
import { type Refused, refuseUnless, trySlot } from './try-slots.ts';

const NAMES = { doctor: 'doctorId', date: 'appointmentDate', time: 'startTime', weeks: 'every.weeks' };

export async function bookSeries(app: App, request: BookSeriesRequest, call: Call) {
  const clinic = clinicOf(call);
  const now = app.clock.now();
  const { dates, ...series } = parseSeries(request, request.every?.weeks ?? 0, NAMES, clinic, now);
  const ref = parsePatientRef(request, clinic.country);
  const notes = parseOptionalText('notes', request.notes, MAX_NOTES);
  const asked = parseNeeds(request);
  return idempotent(app.db, call, AppointmentSeriesService.method.bookSeries, request, async (tx) => {
    const needs = await resolveNeeds(tx, series.doctorId, asked);
    // In the order of a single booking: the doctor, then the patient.
    await lockDay(tx, series.doctorId);
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
