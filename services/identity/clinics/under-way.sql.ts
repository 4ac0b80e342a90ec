// A maintenance or a notice of an operator lasts from starts_at until ends_at, without an end when that is null.

/** The argument is SQL. */
export const isUnderWay = (now: string) => `starts_at <= ${now} and (ends_at is null or ends_at > ${now})`;
