// What a lost password may bring about.

/** The queue in which requests wait until somebody looks whether there is such an account. */
export const BEGIN_RECOVERY = 'begin-recovery';
/** The queue in which links wait for messaging to take their mails. */
export const MAIL_RECOVERY = 'mail-recovery';
/** How long a link works. */
export const LINK_LIFETIME_MS = 30 * 60_000;
/** Mails that one account gets in an hour, however often somebody asks. */
export const MAILS_AN_HOUR = 3;
