// Instants until which something waits or is claimed. After a clock was set back, those stored before are further ahead than any stored now.

/** SQL: whether the instant has passed. One further ahead than `longest` was stored before the clock was set back, and counts as passed. Null has not passed. */
export const hasPassed = (at: string, now: string, longest: string) => `(${at} <= ${now} or ${at} > ${now} + interval '${longest}')`;

/** SQL: whether work may be claimed: nobody has claimed it, or its process has not renewed the claim in time. `longest`: longer than any claim lasts. */
export const isUnclaimed = (until: string, now: string, longest = '1 minute') => `(${until} is null or ${hasPassed(until, now, longest)})`;
