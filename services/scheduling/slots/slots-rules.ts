// Which starts of a day a doctor offers, and which of them are free. The booking asks the same function, so what is
// listed can be booked and nothing else can.
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
  /** What is booked or held. */
  busy: Interval[];
};

/** A start that can be booked; `hold` is the consultation with its buffer. */
export type Slot = { startTime: string; endTime: string; start: number; end: number; hold: Interval };

const MINUTE = 60_000;

/** The free slots of a day in order. */
export function freeSlots(schedule: Schedule, day: LocalDay, now: number): Slot[] {
  return offeredSlots(schedule, day).filter((slot) => slot.start > now && isFree(slot.hold, schedule.busy));
}

/** Every start on the grid, free or not: from the beginning of each range in steps of consultation and buffer. */
export function offeredSlots(schedule: Schedule, day: LocalDay): Slot[] {
  if (schedule.onVacation) return [];
  const breaks = schedule.breaks.map((range) => toInterval(range, day));
  const slots = new Map<string, Slot>();
  for (const range of [...schedule.hours].sort((a, b) => a.start_time.localeCompare(b.start_time))) {
    const { start: opens, end: closes } = toInterval(range, day);
    const step = (schedule.consultationMinutes + schedule.bufferMinutes) * MINUTE;
    for (let start = opens; start + schedule.consultationMinutes * MINUTE <= closes; start += step) {
      const slot = slotAt(schedule, day, start);
      // When the clocks go back an hour comes twice: its name means the first one.
      if (!slots.has(slot.startTime) && isFree({ start, end: slot.end }, breaks)) slots.set(slot.startTime, slot);
    }
  }
  return [...slots.values()];
}

/** The slot that would begin at an instant, on the grid or not. */
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
