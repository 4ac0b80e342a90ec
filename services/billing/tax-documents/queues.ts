// Names of the queues that handlers put work into.

/** Takes `{ clinicId, documentId }`. */
export const HAND_OVER_TAX_DOCUMENT = 'hand-over-tax-document';

/** Takes `{ clinicId, documentId }`. */
export const MAIL_TAX_DOCUMENT = 'mail-tax-document';
