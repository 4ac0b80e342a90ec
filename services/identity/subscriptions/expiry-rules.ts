// How long a subscription lasts, and which warning is due before it ends.

/** The queue of the mails that warn the admins of a clinic. */
export const MAIL_EXPIRY = 'mail-expiry';

const DAY_MS = 86_400_000;
const WARNINGS = [1, 3, 7] as const;

/** How long before an expiry the first warning is sent. */
export const FIRST_WARNING_MS = 7 * DAY_MS;

/** The days of the warning that is due: 7, 3 or 1; undefined when none is. If several were missed, only the latest is due. */
export function warningDue(expiresAt: Date, now: Date): (typeof WARNINGS)[number] | undefined {
  const left = expiresAt.getTime() - now.getTime();
  return left <= 0 ? undefined : WARNINGS.find((days) => left <= days * DAY_MS);
}

/** Rounded up to whole days; 0 when the subscription has expired; undefined when it never expires. */
export const daysLeft = (expiresAt: Date | null, now: Date) => (expiresAt ? Math.max(0, Math.ceil((expiresAt.getTime() - now.getTime()) / DAY_MS)) : undefined);
