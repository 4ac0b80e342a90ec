// Local times of day.
import { invalid } from '../errors/errors.ts';

export const CLOCK_TIME = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/;

/** Whether the text is HH:MM or HH:MM:SS. */
export const isClockTime = (text: string): boolean => CLOCK_TIME.test(text);

/** Whether the text is HH:MM. */
export const isHourMinute = (text: string): boolean => text.length === 5 && isClockTime(text);

/** HH:MM, or HH:MM:00, which some responses contain. */
const WHOLE_MINUTE = /^([01]\d|2[0-3]):[0-5]\d(:00)?$/;

export const isWholeMinute = (text: string): boolean => WHOLE_MINUTE.test(text);

/** The time as HH:MM. */
export const parseClockTime = (path: string, value: string): string => (isWholeMinute(value) ? value.slice(0, 5) : invalid(path, 'must be HH:MM'));
