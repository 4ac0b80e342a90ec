// Names of the queues that handlers put work into.

/** Takes `{ eventId }`. */
export const WORK_PAYMENT_EVENT = 'work-payment-event';
