// The free slots of a doctor's day.
import { found } from '@clinic/lib/errors/errors.ts';
import { parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListSlotsRequest } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import type { App } from '../app.ts';
import { findDoctorDay, spanOf, toSchedule } from './doctor-day.sql.ts';
import { refuseFarDate } from './farthest-date-rules.ts';
import { parseNeeds, QUERY, readNeeds } from './slot-needs.ts';
import { freeSlots } from './slots-rules.ts';

export async function listSlots(app: App, request: ListSlotsRequest, call: Call) {
  const { id, timezone } = clinicOf(call);
  const now = app.clock.now();
  const date = parseLocalDate('date', request.date);
  refuseFarDate('date', date, timezone, now);
  const needs = parseNeeds(request, QUERY);
  const doctor = found(await findDoctorDay(app.db, id, request.doctorId, date, timezone, now), 'Doctor');
  const own = await readNeeds(app.db, id, request.doctorId, needs, spanOf(doctor.day, date), now);
  const slots = doctor.is_active ? freeSlots({ ...toSchedule(doctor), ...own }, doctor.day, now.getTime()) : [];
  return { slots: slots.map(({ startTime, endTime }) => ({ startTime, endTime })) };
}
