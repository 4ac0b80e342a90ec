// Whether a patient can check in.

export type CheckInStatus = 'ready' | 'done' | 'wrong_day' | 'cancelled' | 'over';

/** `today` is the date in the clinic's zone. */
export function checkInStatus(appointment: { status: string; appointment_date: string; checked_in_at: Date | null }, today: string): CheckInStatus {
  if (appointment.status === 'cancelled') return 'cancelled';
  if (appointment.status === 'completed' || appointment.status === 'no_show') return 'over';
  if (appointment.appointment_date !== today) return 'wrong_day';
  return appointment.checked_in_at ? 'done' : 'ready';
}
