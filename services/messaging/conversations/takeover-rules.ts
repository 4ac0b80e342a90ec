// Whether the bot or the staff answer in a conversation, and how long free text may be sent.

/** A takeover ends this long after the last message. */
export const TAKEOVER_MS = 12 * 3_600_000;
/** The provider allows free text this long after the last message of the patient. */
export const WINDOW_MS = 24 * 3_600_000;

/** Until when free text answers a message that was sent then. */
export const windowEnd = (sentAt: Date) => new Date(sentAt.getTime() + WINDOW_MS);

/** `humanUntil` is the number Infinity for conversations that never return to the bot. */
export const modeOf = (humanUntil: Date | number | null, now: Date) => (humanUntil !== null && Number(humanUntil) > now.getTime() ? 'human' : 'bot');

export const isWindowOpen = (expiresAt: Date | null, now: Date) => expiresAt !== null && expiresAt > now;
