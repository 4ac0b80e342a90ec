// Whether a patient can tell of the own arrival.

export type CheckInStatus = 'ready' | 'done' | 'wrong_day' | 'cancelled' | 'over';

/** `today` is YYYY-MM-DD where the clinic is. */
export function checkInStatus(visit: { status: string; appointment_date: string; checked_in_at: Date | null }, today: string): CheckInStatus {
  if (visit.status === 'cancelled') return 'cancelled';
  if (visit.status === 'completed' || visit.status === 'no_show') return 'over';
  if (visit.appointment_date !== today) return 'wrong_day';
  return visit.checked_in_at ? 'done' : 'ready';
}
