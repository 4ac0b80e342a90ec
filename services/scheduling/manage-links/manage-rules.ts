// What the holder of a manage link may do.
import { isActive, isInsideNotice } from '../appointments/status-rules.ts';

type Managed = { status: string; starts_at: Date; ends_at: Date };

export function managedStatus({ status, starts_at, ends_at }: Managed, noticeHours: number, now: Date) {
  if (ends_at <= now) return 'over';
  if (status === 'cancelled') return 'cancelled';
  if (!isActive(status)) return 'over';
  const isPending = status === 'pending';
  if (starts_at <= now || isInsideNotice(starts_at, noticeHours, now)) return isPending ? 'pending_inside_notice' : 'inside_notice';
  return isPending ? 'pending' : 'open';
}

export const isTooLate = (status: string): boolean => status === 'inside_notice' || status === 'pending_inside_notice';

export const isChangeable = (status: string): boolean => status === 'open' || status === 'pending';
