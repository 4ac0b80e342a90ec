// Response headers of deprecated routes (RFC 9745, RFC 8594). The policy is docs/guides/versioning.md.

/** Dates, YYYY-MM-DD in UTC: `since` when the route is deprecated, and when it `ends`. */
export type Deprecation = { since: string; ends?: string };

/** `Deprecation` is in seconds since 1970, `Sunset` is an HTTP date. */
export function deprecationHeaders({ since, ends }: Deprecation): Record<string, string> {
  return { Deprecation: `@${instant(since) / 1000}`, ...(ends !== undefined && { Sunset: new Date(instant(ends)).toUTCString() }) };
}

function instant(date: string): number {
  const at = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(at)) throw new Error(`${date} is not a date`);
  return at;
}
