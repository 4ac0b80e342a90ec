// Recall uses the time of El Salvador, UTC-6 all year, for every clinic.

const OFFSET_MS = 6 * 3_600_000;

/** The date (YYYY-MM-DD) that an instant has in UTC-6. */
export function recallDay(instant: Date): string {
  return new Date(instant.getTime() - OFFSET_MS).toISOString().slice(0, 10);
}

/** First instant of the current month in UTC-6 and of the next month. */
export function recallMonth(instant: Date): { from: Date; to: Date } {
  const local = new Date(instant.getTime() - OFFSET_MS);
  const at = (month: number) => new Date(Date.UTC(local.getUTCFullYear(), month, 1) + OFFSET_MS);
  return { from: at(local.getUTCMonth()), to: at(local.getUTCMonth() + 1) };
}
