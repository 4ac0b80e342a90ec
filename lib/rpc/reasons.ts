// Reads the reason of an error that an RPC threw. Connect clients wrap it: the ServiceError is the `cause` of the error that they throw.
import { type Reason, ServiceError } from '../errors/errors.ts';

/** The reason of an error that an RPC threw; undefined for other errors. */
export function findReason(error: unknown): Reason | undefined {
  const thrown = error instanceof ServiceError ? error : (error as Error).cause;
  return thrown instanceof ServiceError ? thrown.reason : undefined;
}

export const isReason = (error: unknown, reason: Reason) => findReason(error) === reason;

/** The response of an RPC, or undefined when it threw NOT_FOUND. */
export function ifFound<T>(response: Promise<T>): Promise<T | undefined> {
  return response.catch((error: unknown) => {
    if (isReason(error, 'NOT_FOUND')) return undefined;
    throw error;
  });
}
