// When daily jobs run, and the zone of dates that belong to no clinic.

export const DEFAULT_ZONE = 'America/El_Salvador';

/** The option of a job that runs every night at a time of the default zone, HH:MM. */
export const atNight = (at: string) => ({ daily: { at, timezone: DEFAULT_ZONE } });
