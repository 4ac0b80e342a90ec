// Clients of Connect wrap an error of the transport: the ServiceError is the cause of theirs.
import { type Reason, ServiceError } from '../errors/errors.ts';

/** The reason of an error that an RPC returned; undefined for other errors. */
export function findReason(error: unknown): Reason | undefined {
  const thrown = error instanceof ServiceError ? error : (error as Error).cause;
  return thrown instanceof ServiceError ? thrown.reason : undefined;
}

export const isReason = (error: unknown, reason: Reason) => findReason(error) === reason;
