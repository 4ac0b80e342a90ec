// Local times of day.
import { invalid } from '../errors/errors.ts';

export const CLOCK_TIME = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/;

/** Whether the text is HH:MM, or HH:MM:SS, which some responses contain. */
export const isClockTime = (text: string): boolean => CLOCK_TIME.test(text);

/** The time as HH:MM; seconds are dropped. */
export const parseClockTime = (path: string, value: string): string => (isClockTime(value) ? value.slice(0, 5) : invalid(path, 'must be HH:MM'));
