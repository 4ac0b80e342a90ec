// What a change of an appointment's status means.

export const STATUSES = ['confirmed', 'pending', 'completed', 'cancelled', 'no_show'] as const;
/** How it was booked. */
export const SOURCES = ['manual', 'chat', 'waitlist'] as const;
/** Whether the bot acts for a patient. */
export const isChat = ({ kind, id }: { kind: string; id: string }) => kind === 'service' && id === 'messaging';

/** What the public change of status accepts. */
export const SETTABLE_STATUSES = ['confirmed', 'completed', 'cancelled', 'no_show'] as const;

export type Timestamps = { cancelled_at: Date | null; completed_at: Date | null; cancellation_reason: string | null };

/** When it was completed and cancelled, after the change to `status`: only the current status keeps its timestamp. */
export function stampsOf(status: string, reason: string | null, now: Date): Timestamps {
  return {
    cancelled_at: status === 'cancelled' ? now : null,
    completed_at: status === 'completed' ? now : null,
    cancellation_reason: status === 'cancelled' ? reason : null,
  };
}

/** How the patient's count of missed visits changes. */
export function noShowChange(before: string, after: string): 1 | -1 | 0 {
  if (before === after) return 0;
  if (after === 'no_show') return 1;
  return before === 'no_show' ? -1 : 0;
}

/** Whether it still holds its slot. */
export const isActive = (status: string) => status === 'confirmed' || status === 'pending';
