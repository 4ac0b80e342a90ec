// Which times of a day are slots of a doctor, and which of them are free. Lists and bookings use the same functions, so that exactly
// the listed slots can be booked.
import { type LocalDay, timeOf } from '../clinics/local-day-rules.ts';
import { type Interval, isFree, type Range, toInterval } from './interval-rules.ts';

export type Schedule = {
  consultationMinutes: number;
  bufferMinutes: number;
  /** Working hours of this weekday. */
  hours: Range[];
  /** Breaks of this weekday. */
  breaks: Range[];
  onVacation: boolean;
  /** Appointments and slot drafts. */
  busy: Interval[];
};

/** `hold` is the consultation with its buffer. */
export type Slot = { startTime: string; endTime: string; start: number; end: number; hold: Interval };

const MINUTE = 60_000;

/** The free slots of a day, in order. */
export function freeSlots(schedule: Schedule, day: LocalDay, now: number): Slot[] {
  return offeredSlots(schedule, day).filter((slot) => slot.start > now && isFree(slot.hold, schedule.busy));
}

/** All slots, free or not: from the beginning of each range in steps of consultation plus buffer. */
export function offeredSlots(schedule: Schedule, day: LocalDay): Slot[] {
  if (schedule.onVacation) return [];
  const breaks = schedule.breaks.map((range) => toInterval(range, day));
  const slots = new Map<string, Slot>();
  for (const range of [...schedule.hours].sort((a, b) => a.start_time.localeCompare(b.start_time))) {
    const { start: opens, end: closes } = toInterval(range, day);
    const step = (schedule.consultationMinutes + schedule.bufferMinutes) * MINUTE;
    for (let start = opens; start + schedule.consultationMinutes * MINUTE <= closes; start += step) {
      const slot = slotAt(schedule, day, start);
      // When the clocks go back, an hour occurs twice: its times mean the first occurrence.
      if (!slots.has(slot.startTime) && isFree({ start, end: slot.end }, breaks)) slots.set(slot.startTime, slot);
    }
  }
  return [...slots.values()];
}

/** The slot that starts at an instant, whether or not the doctor has one there. */
export function slotAt(schedule: Schedule, day: LocalDay, start: number): Slot {
  const end = start + schedule.consultationMinutes * MINUTE;
  return {
    startTime: timeOf(day.clockAt(start)),
    endTime: timeOf(day.clockAt(end)),
    start,
    end,
    hold: { start, end: end + schedule.bufferMinutes * MINUTE },
  };
}
