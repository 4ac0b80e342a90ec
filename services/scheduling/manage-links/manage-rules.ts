// What the holder of a manage link may do.
import { isActive, isInsideNotice } from '../appointments/status-rules.ts';

type Managed = { status: string; starts_at: Date; ends_at: Date };

export function managedStatus({ status, starts_at, ends_at }: Managed, noticeHours: number, now: Date) {
  if (ends_at <= now) return 'over';
  if (status === 'cancelled') return 'cancelled';
  if (!isActive(status)) return 'over';
  if (starts_at <= now || isInsideNotice(starts_at, noticeHours, now)) return 'inside_notice';
  return status === 'pending' ? 'pending' : 'open';
}

export const isChangeable = (status: string): boolean => status === 'open' || status === 'pending';
