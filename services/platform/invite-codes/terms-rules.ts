// How long a code is valid, and the subscription of the clinic that registers with it.

const DAY_MS = 24 * 3_600_000;

export type Terms = { plan: string; days: number | null; expires_at: Date | null };

/** A code for forever_free does not expire. */
export function termsOf(plan: string, days: number, now: Date): Terms {
  if (plan === 'forever_free') return { plan, days: null, expires_at: null };
  return { plan, days, expires_at: after(now, days) };
}

/** When the subscription of a clinic that registers now expires: a trial when its code expires, a paid plan after the days of the code, forever_free never. */
export function subscriptionEnd(code: Terms, now: Date): Date | null {
  if (code.plan === 'trial' || code.days === null) return code.expires_at;
  return after(now, code.days);
}

const after = (now: Date, days: number) => new Date(now.getTime() + days * DAY_MS);
