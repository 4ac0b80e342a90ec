// Errors whose cause is already in the log, because they belong to an outage that was logged (lib/telemetry/outages.ts).
const explained = new WeakSet<object>();

/** Marks an error whose cause has been logged. */
export function explain(error: unknown): void {
  if (typeof error === 'object' && error !== null) explained.add(error);
}

/** Whether the cause of the error has been logged, so that the error itself need not be. */
export const isExplained = (error: unknown): boolean => typeof error === 'object' && error !== null && explained.has(error);
