// What a preview and a booking of a series have in common.
import { parseClockTime } from '@clinic/lib/formats/clock-time.ts';
import { parseLocalDate } from '@clinic/lib/formats/local-date.ts';
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import type { CallerClinic } from '@clinic/lib/rpc/caller.ts';
import { refuseFarDate } from '../slots/farthest-date-rules.ts';
import { datesOf } from './series-rules.ts';

type Given = { doctorId: string; appointmentDate: string; startTime: string; count: number; outsideHours: boolean };

export function parseSeries(
  given: Given,
  weeks: number,
  names: { doctor: string; date: string; time: string; weeks: string },
  { timezone }: CallerClinic,
  now: Date,
) {
  const doctorId = parseUuid(names.doctor, given.doctorId);
  const first = parseLocalDate(names.date, given.appointmentDate);
  const startTime = parseClockTime(names.time, given.startTime);
  const dates = datesOf(first, parseInteger(names.weeks, weeks, 1, 52), parseInteger('count', given.count, 2, 52));
  refuseFarDate('count', dates.at(-1) ?? first, timezone, now);
  return { doctorId, dates, startTime, outsideHours: given.outsideHours };
}
