// Until when a document may be invalidated or corrected. The periods are settings, since sources contradict each other.
import { DateTime } from 'luxon';
import type { Kind } from './kinds.ts';

/** El Salvador has one zone and no summer time. */
const ZONE = 'America/El_Salvador';

type Deadlines = {
  /** Months after sealing in which a factura may be invalidated. */
  invoiceMonths: number;
  /** Business days of the month after sealing in which the other kinds may be invalidated. */
  businessDays: number;
  /** Hours after rejection in which a document may be corrected. */
  correctionHours: number;
};

/** Day, YYYY-MM-DD, and time, HH:MM:SS, of an instant in El Salvador. */
export function localMoment(instant: Date): { day: string; time: string } {
  const local = DateTime.fromJSDate(instant, { zone: ZONE });
  return { day: local.toFormat('yyyy-MM-dd'), time: local.toFormat('HH:mm:ss') };
}

/** The last instant at which a document may be invalidated. */
export function invalidationDeadline(kind: Kind, sealedAt: Date, { invoiceMonths, businessDays }: Deadlines): Date {
  const sealed = DateTime.fromJSDate(sealedAt, { zone: ZONE });
  if (kind === '01') return sealed.plus({ months: invoiceMonths }).toJSDate();
  let day = sealed.plus({ months: 1 }).startOf('month');
  for (let left = businessDays; ; day = day.plus({ days: 1 })) {
    if (day.weekday <= 5) left -= 1;
    if (left <= 0) return day.endOf('day').toJSDate();
  }
}

export const correctionDeadline = (rejectedAt: Date, { correctionHours }: Deadlines): Date => new Date(rejectedAt.getTime() + correctionHours * 3_600_000);
