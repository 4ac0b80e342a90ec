// Which times of a day are slots of a doctor, and which of them are free. Lists and bookings use the same functions, so that exactly
// the listed slots can be booked.
import { type LocalDay, minutesOf, timeOf } from '../clinics/local-day-rules.ts';
import { type Interval, isFree, type Range, toInterval } from './interval-rules.ts';

export type Schedule = {
  /** The doctor's consultation: with the buffer, the step from one start to the next. */
  consultationMinutes: number;
  bufferMinutes: number;
  /** Length of the appointment; absent: the consultation. */
  durationMinutes?: number | undefined;
  /** Working hours of this weekday. */
  hours: Range[];
  /** Breaks of this weekday. */
  breaks: Range[];
  onVacation: boolean;
  /** Appointments and slot drafts. */
  busy: Interval[];
  /** The hold of the appointment that is moved. It is free, but not listed as a slot, since a move to it changes nothing. */
  moved?: Interval | undefined;
  /** The appointment takes the first free one of these chairs or rooms; absent: it takes none. */
  resources?: { id: string; busy: Interval[] }[] | undefined;
};

/** `hold` is the appointment with the buffer after it. */
export type Slot = { startTime: string; endTime: string; start: number; end: number; hold: Interval };

const MINUTE = 60_000;

/** The free slots of a day, in order. */
export function freeSlots(schedule: Schedule, day: LocalDay, now: number): Slot[] {
  return offeredSlots(schedule, day).filter((slot) => slot.start > now && isSlotFree(schedule, slot) && !isMoved(schedule, slot));
}

const isMoved = ({ moved }: Schedule, { hold }: Slot): boolean => hold.start === moved?.start && hold.end === moved.end;

/** Whether the doctor is free, and one of the resources if there are any. */
export const isSlotFree = (schedule: Schedule, { hold }: Slot): boolean =>
  isFree(hold, schedule.busy) && (schedule.resources === undefined || freeResource(schedule, hold) !== undefined);

export const freeResource = ({ resources = [] }: Pick<Schedule, 'resources'>, hold: Interval): string | undefined =>
  resources.find(({ busy }) => isFree(hold, busy))?.id;

/** All slots, free or not: from the beginning of each range in steps of consultation plus buffer, where the whole appointment fits. */
export function offeredSlots(schedule: Schedule, day: LocalDay): Slot[] {
  if (schedule.onVacation) return [];
  const breaks = schedule.breaks.map((range) => toInterval(range, day));
  const slots = new Map<string, Slot>();
  for (const range of [...schedule.hours].sort((a, b) => a.start_time.localeCompare(b.start_time))) {
    const { start: opens, end: closes } = toInterval(range, day);
    const step = (schedule.consultationMinutes + schedule.bufferMinutes) * MINUTE;
    for (let start = opens; start + lengthOf(schedule) <= closes; start += step) {
      const slot = slotAt(schedule, day, start);
      // When the clocks go back, an hour occurs twice: its times mean the first occurrence, and nothing begins in the second.
      const isFirst = day.at(minutesOf(slot.startTime)) === start;
      if (isFirst && isFree({ start, end: slot.end }, breaks)) slots.set(slot.startTime, slot);
    }
  }
  return [...slots.values()];
}

/** The slot that starts at an instant, whether or not the doctor has one there. */
export function slotAt(schedule: Schedule, day: LocalDay, start: number): Slot {
  const end = start + lengthOf(schedule);
  return {
    startTime: timeOf(day.clockAt(start)),
    endTime: timeOf(day.clockAt(end)),
    start,
    end,
    hold: { start, end: end + schedule.bufferMinutes * MINUTE },
  };
}

const lengthOf = ({ durationMinutes, consultationMinutes }: Schedule): number => (durationMinutes ?? consultationMinutes) * MINUTE;
