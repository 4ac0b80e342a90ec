// How many slots are free on each day of a month, from one statement.
import { readTenant } from '@clinic/lib/db/db.ts';
import { found, invalid } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { ListAvailabilityRequest } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import type { App } from '../app.ts';
import { localDay } from '../clinics/local-day-rules.ts';
import { datesOf, freeByDay } from './month-rules.ts';
import { monthStatement } from './timetable.sql.ts';

const MONTH = /^(19|20|21)\d\d-(0[1-9]|1[0-2])$/;
const LONGEST_HOLD_MS = 12 * 3_600_000;

export async function listAvailability(app: App, request: ListAvailabilityRequest, call: Call) {
  const { id, timezone } = clinicOf(call);
  const { doctorId, month } = request;
  if (!MONTH.test(month)) invalid('month', 'must be YYYY-MM');
  const now = app.clock.now();
  const dates = datesOf(month);
  const first = dates[0] as string; // a month has days
  const reach = [new Date(localDay(timezone, first).start), new Date(localDay(timezone, dates.at(-1) ?? first).end + LONGEST_HOLD_MS)];
  const [row] = isUuid(doctorId) ? await readTenant(app.db, id, monthStatement, [id, doctorId, first, ...reach, now]) : [];
  const doctor = found(row, 'Doctor');
  const schedule = {
    ...doctor,
    hours: doctor.is_active ? doctor.hours : [],
    consultationMinutes: doctor.consultation_duration_minutes,
    bufferMinutes: doctor.buffer_time_minutes,
    busy: doctor.busy.map(([start, end]) => ({ start, end })),
  };
  return { days: freeByDay(month, schedule, timezone, now.getTime()) };
}
