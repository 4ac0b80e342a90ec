// Connect hands on what a transport throws as the cause of its own error.
import { type Reason, ServiceError } from '../errors/errors.ts';

/** The reason of a neighbour's refusal; undefined for anything else. */
export function findReason(error: unknown): Reason | undefined {
  const thrown = error instanceof ServiceError ? error : (error as Error).cause;
  return thrown instanceof ServiceError ? thrown.reason : undefined;
}

export const isReason = (error: unknown, reason: Reason) => findReason(error) === reason;
