// Parses integers within limits, and values of a fixed list.
import { invalid } from '../errors/errors.ts';

export function parseInteger(path: string, value: number, min: number, max: number): number {
  return Number.isInteger(value) && value >= min && value <= max ? value : invalid(path, `must be an integer from ${min} to ${max}`);
}

export function parseOneOf<T extends string>(path: string, value: string, allowed: readonly T[]): T {
  return allowed.find((one) => one === value) ?? invalid(path, `must be one of ${allowed.join(', ')}`);
}
