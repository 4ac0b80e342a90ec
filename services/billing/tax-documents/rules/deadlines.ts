// Until when something may be done about a document. The numbers are settings, since sources contradict each other.
import { DateTime } from 'luxon';
import type { Kind } from './kinds.ts';

/** El Salvador has one zone and no summer time. */
export const ZONE = 'America/El_Salvador';

export type Windows = {
  /** Months from its seal in which a factura may be invalidated. */
  invoiceMonths: number;
  /** Business days of the month after its seal in which the other kinds may be. */
  businessDays: number;
  /** Hours from its rejection in which a rejected document may be corrected. */
  correctionHours: number;
};

/** The day, YYYY-MM-DD, and the time, HH:MM:SS, that an instant has in El Salvador. */
export function momentOf(instant: Date): { day: string; time: string } {
  const local = DateTime.fromJSDate(instant, { zone: ZONE });
  return { day: local.toFormat('yyyy-MM-dd'), time: local.toFormat('HH:mm:ss') };
}

export const dayOf = (instant: Date): string => momentOf(instant).day;

/** The instant from which on a document can no longer be invalidated. */
export function invalidationEnds(kind: Kind, sealedAt: Date, { invoiceMonths, businessDays }: Windows): Date {
  const sealed = DateTime.fromJSDate(sealedAt, { zone: ZONE });
  if (kind === '01') return sealed.plus({ months: invoiceMonths }).toJSDate();
  let day = sealed.plus({ months: 1 }).startOf('month');
  for (let left = businessDays; ; day = day.plus({ days: 1 })) {
    if (day.weekday <= 5) left -= 1;
    if (left <= 0) return day.endOf('day').toJSDate();
  }
}

export const correctionEnds = (rejectedAt: Date, { correctionHours }: Windows): Date => new Date(rejectedAt.getTime() + correctionHours * 3_600_000);
