// Routes that will go: what their answers say (RFC 9745, RFC 8594). docs/guides/versioning.md is the policy.

/** Dates, YYYY-MM-DD in UTC: since when clients should use something else, and when the route ends. */
export type Deprecation = { since: string; ends?: string };

/** `Deprecation` is the instant in seconds since 1970, `Sunset` a date of HTTP. */
export function deprecationHeaders({ since, ends }: Deprecation): Record<string, string> {
  return { Deprecation: `@${instant(since) / 1000}`, ...(ends !== undefined && { Sunset: new Date(instant(ends)).toUTCString() }) };
}

function instant(date: string): number {
  const at = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(at)) throw new Error(`${date} is not a date`);
  return at;
}
