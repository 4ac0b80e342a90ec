// Errors whose cause the log has already, since an outage explains them.
const explained = new WeakSet<object>();

/** Marks an error whose cause the log has. */
export function explain(error: unknown): void {
  if (typeof error === 'object' && error !== null) explained.add(error);
}

/** Whether the log has the cause of the error, so that it need not be logged once more. */
export const isExplained = (error: unknown): boolean => typeof error === 'object' && error !== null && explained.has(error);
