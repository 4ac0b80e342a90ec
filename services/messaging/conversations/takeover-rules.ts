// Who speaks in a conversation: the bot, or a person who has taken it.

export const TAKEOVER_MS = 12 * 3_600_000;
export const WINDOW_MS = 24 * 3_600_000;

/** `humanUntil` is Infinity, as the driver reads it, where only a person can help. */
export function modeOf(humanUntil: Date | number | null, now: Date): 'bot' | 'human' {
  return humanUntil !== null && Number(humanUntil) > now.getTime() ? 'human' : 'bot';
}

export function isWindowOpen(expiresAt: Date | null, now: Date): boolean {
  return expiresAt !== null && expiresAt.getTime() > now.getTime();
}
