// Queues and limits of password recovery.

/** The queue of requests. Its job looks up the account. */
export const BEGIN_RECOVERY = 'begin-recovery';
/** The queue of mails with links. */
export const MAIL_RECOVERY = 'mail-recovery';
/** How long a link is valid. */
export const LINK_LIFETIME_MS = 30 * 60_000;
/** Maximum number of mails to one account in an hour. */
export const MAILS_AN_HOUR = 3;
