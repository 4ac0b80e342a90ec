// Queues and limits of password recovery.

/** The queue of requests. Its job looks up the account. */
export const BEGIN_RECOVERY = 'begin-recovery';
/** Maximum number of mails to one account in an hour. */
export const MAILS_AN_HOUR = 3;
