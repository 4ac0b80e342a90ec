// Whether a start can be booked, or why not.
import { type LocalDay, minutesOf } from '../clinics/local-day-rules.ts';
import { isSlotFree, offeredSlots, type Schedule, type Slot, slotAt } from './slots-rules.ts';

type Decision = { slot: Slot } | { refused: 'SLOT_TAKEN' | 'SLOT_UNAVAILABLE' };

/** `startTime` is HH:MM. With `outsideHours` every future minute that exists and overlaps nothing can be booked. */
export function decideBooking(schedule: Schedule, day: LocalDay, startTime: string, now: number, outsideHours: boolean): Decision {
  const slot = outsideHours ? slotOutsideHours(schedule, day, startTime) : offeredSlots(schedule, day).find((offered) => offered.startTime === startTime);
  if (!slot || slot.start <= now) return { refused: 'SLOT_UNAVAILABLE' };
  return isSlotFree(schedule, slot) ? { slot } : { refused: 'SLOT_TAKEN' };
}

/** Undefined for a time that the clocks skip on this day. */
function slotOutsideHours(schedule: Schedule, day: LocalDay, startTime: string): Slot | undefined {
  const slot = slotAt(schedule, day, day.at(minutesOf(startTime)));
  return slot.startTime === startTime ? slot : undefined;
}
