// Statuses and sources of appointments, and what a change of the status means.

export const STATUSES = ['confirmed', 'pending', 'completed', 'cancelled', 'no_show'] as const;
/** The maximum lengths of an appointment's notes and of the reason of its cancellation, in characters. */
export const MAX_NOTES = 5000;
export const MAX_CANCELLATION_REASON = 1000;
/** How an appointment was booked. */
export const SOURCES = ['manual', 'chat', 'waitlist', 'online'] as const;
/** Whether the bot acts for a patient. */
export const isChat = ({ kind, id }: { kind: string; id: string }) => kind === 'service' && id === 'messaging';

/** The statuses that a request may set. */
export const SETTABLE_STATUSES = ['confirmed', 'completed', 'cancelled', 'no_show'] as const;

/** The timestamps after a change to `status`: those of other statuses are cleared. */
export function stampsOf(status: string, reason: string | null, now: Date) {
  return {
    cancelled_at: status === 'cancelled' ? now : null,
    completed_at: status === 'completed' ? now : null,
    cancellation_reason: status === 'cancelled' ? reason : null,
  };
}

/** Whether the start is closer than the notice that patients have to give. */
export const isInsideNotice = (startsAt: Date, noticeHours: number, now: Date): boolean =>
  noticeHours > 0 && startsAt.getTime() - now.getTime() < noticeHours * 3_600_000;

/** How the patient's count of no-shows changes. */
export function noShowChange(before: string, after: string): 1 | -1 | 0 {
  if (before === after) return 0;
  if (after === 'no_show') return 1;
  return before === 'no_show' ? -1 : 0;
}

/**
 * Whether this status makes a patient of a person who booked online without proving the phone. A no-show does not: it would count against the owner of
 * the phone.
 */
export const confirmsPerson = (status: string) => status === 'confirmed' || status === 'completed';

/** Whether an appointment of this status occupies its slot. */
export const isActive = (status: string) => status === 'confirmed' || status === 'pending';
