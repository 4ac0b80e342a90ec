// The end of an appointment.

/** What lies between the local times of the row `a` of appointments. Not its length if the clocks change in between. */
export const SHOWN_LENGTH = `(a.end_time - a.start_time + case when a.end_time <= a.start_time then interval '1 day' else interval '0' end)`;

/**
 * When the row `a` of appointments ends, without its buffer: the length is that between its local times. If the clocks change
 * in between, that may be too long, so the end is limited by the time that the appointment occupies.
 */
export const ENDS_AT = `least(upper(a.busy), a.starts_at + ${SHOWN_LENGTH})`;
