// Which warning is due before a subscription ends.

/** The queue in which warnings wait for messaging to take their mails. */
export const MAIL_EXPIRY = 'mail-expiry';

const DAY_MS = 86_400_000;
const WARNINGS = [1, 3, 7] as const;

/** The earliest moment at which an expiry can be warned of. */
export const FIRST_WARNING_MS = 7 * DAY_MS;

/** 7, 3 or 1; undefined when it is too early or too late. Of several that were missed only the last is told. */
export function warningDue(expiresAt: Date, now: Date): (typeof WARNINGS)[number] | undefined {
  const left = expiresAt.getTime() - now.getTime();
  return left <= 0 ? undefined : WARNINGS.find((days) => left <= days * DAY_MS);
}
