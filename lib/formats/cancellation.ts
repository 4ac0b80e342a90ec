// The cancellation policy of a clinic or an appointment type.
import { parseInteger } from './numbers.ts';

/** 30 days. */
export const MAX_NOTICE_HOURS = 720;
export const MAX_CANCELLATION_TEXT = 500;

export const parseNoticeHours = (path: string, hours: number): number => parseInteger(path, hours, 0, MAX_NOTICE_HOURS);
