// Whether the bot or the staff reply in a conversation, and how long free text may be sent.

/** Why the bot hands a conversation over to the staff: what the patient asked for or sent, or what the bot cannot decide or do. */
export type HandoverReason = 'person' | 'emergency' | 'late' | 'order' | 'inside_notice' | 'not_bookable' | 'failed';

/** How long after the last message a takeover ends. */
export const TAKEOVER_MS = 12 * 3_600_000;
/** When a takeover ends if its last message is sent now. */
export const takeoverEnd = (now: Date) => new Date(now.getTime() + TAKEOVER_MS);

/** How long after the patient's last message the provider allows free text. */
const WINDOW_MS = 24 * 3_600_000;

/** Until when free text may reply to a message that was sent at `sentAt`. */
export const windowEnd = (sentAt: Date) => new Date(sentAt.getTime() + WINDOW_MS);

/** `humanUntil` is the number Infinity for conversations that never return to the bot. */
export const modeOf = (humanUntil: Date | number | null, now: Date) => (humanUntil !== null && Number(humanUntil) > now.getTime() ? 'human' : 'bot');

export const isWindowOpen = (expiresAt: Date | null, now: Date) => expiresAt !== null && expiresAt > now;
