// Limits of online bookings, and what their states mean.

export const HOLD_MS = 10 * 60_000;
/** After this many wrong codes the slot is released. */
export const MAX_WRONG_CODES = 5;
/** How many bookings can be begun in an hour with one phone or one e-mail address, and in one clinic. */
export const MAX_OF_PERSON = 5;
export const MAX_OF_CLINIC = 300;
/** How many appointments with unproven phones a clinic accepts in 24 hours. */
export const MAX_UNPROVEN = 20;

const STATES = ['new', 'sent', 'mailed', 'locked', 'booked', 'requested'] as const;
export type State = (typeof STATES)[number];

type Stored = { state: State; expires_at: Date };

export const isAwaitingCode = ({ state, expires_at }: Stored, now: Date): boolean => (state === 'sent' || state === 'mailed') && expires_at > now;

/** The status that the API shows. */
export function statusOf(booking: Stored, now: Date): 'code_sent' | 'confirmed' | 'pending' | 'closed' {
  if (booking.state === 'booked') return 'confirmed';
  if (booking.state === 'requested') return 'pending';
  return isAwaitingCode(booking, now) ? 'code_sent' : 'closed';
}
