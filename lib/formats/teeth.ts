// Teeth by FDI number (ISO 3950): the quadrant, then the position counted from the midline.
import { invalid } from '../errors/errors.ts';

const TOOTH = /^([1-4][1-8]|[5-8][1-5])$/;
export const TOOTH_RULE = 'must be an FDI number, 11 to 48 or 51 to 85';

/** Whether the number is that of a permanent tooth (quadrants 1 to 4) or of a deciduous one (5 to 8). */
export const isTooth = (tooth: number): boolean => TOOTH.test(String(tooth));

export const parseTooth = (path: string, tooth: number): number => (isTooth(tooth) ? tooth : invalid(path, TOOTH_RULE));
