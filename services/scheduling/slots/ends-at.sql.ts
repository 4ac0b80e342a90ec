// The end of an appointment.

/**
 * When the row `a` of appointments ends, without its buffer: the length is that between its local times. If the clocks change
 * in between, that may be too long, so the end is limited by the time that the appointment occupies.
 */
export const ENDS_AT = `least(upper(a.busy),
  a.starts_at + (a.end_time - a.start_time) + case when a.end_time <= a.start_time then interval '1 day' else interval '0' end)`;
