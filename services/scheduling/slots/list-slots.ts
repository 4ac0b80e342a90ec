// The free slots of a doctor's day.

import { readTenant } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListSlotsRequest } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import type { App } from '../app.ts';
import { localDay } from '../clinics/local-day-rules.ts';
import { dayStatement, dayValues, toSchedule } from './day.sql.ts';
import { freeSlots } from './slots-rules.ts';

export async function listSlots(app: App, request: ListSlotsRequest, call: Call) {
  const clinic = clinicOf(call);
  const now = app.clock.now();
  const day = localDay(clinic.timezone, parseLocalDate('date', request.date));
  const [doctor] = isUuid(request.doctorId)
    ? await readTenant(app.db, clinic.id, dayStatement, dayValues(clinic.id, request.doctorId, request.date, day, now))
    : [];
  const schedule = toSchedule(found(doctor, 'Doctor'));
  const slots = doctor?.is_active ? freeSlots(schedule, day, now.getTime()) : [];
  return { slots: slots.map(({ startTime, endTime }) => ({ startTime, endTime })) };
}
