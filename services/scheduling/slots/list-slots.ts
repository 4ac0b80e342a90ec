// The free slots of a doctor's day.
import { found } from '@clinic/lib/errors/errors.ts';
import { parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListSlotsRequest } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import type { App } from '../app.ts';
import { localDay } from '../clinics/local-day-rules.ts';
import { findDoctorDay, toSchedule } from './doctor-day.sql.ts';
import { freeSlots } from './slots-rules.ts';

export async function listSlots(app: App, request: ListSlotsRequest, call: Call) {
  const { id, timezone } = clinicOf(call);
  const now = app.clock.now();
  const day = localDay(timezone, parseLocalDate('date', request.date));
  const doctor = found(await findDoctorDay(app.db, id, request.doctorId, request.date, day, now), 'Doctor');
  const slots = doctor.is_active ? freeSlots(toSchedule(doctor), day, now.getTime()) : [];
  return { slots: slots.map(({ startTime, endTime }) => ({ startTime, endTime })) };
}
