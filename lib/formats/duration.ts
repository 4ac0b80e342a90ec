// Lengths of appointments, in minutes.
import { parseInteger } from './numbers.ts';

export const MIN_MINUTES = 5;
export const MAX_MINUTES = 480;

export const parseMinutes = (path: string, value: number): number => parseInteger(path, value, MIN_MINUTES, MAX_MINUTES);
