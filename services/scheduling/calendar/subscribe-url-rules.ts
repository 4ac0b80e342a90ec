// How each kind of device subscribes to a calendar.

/** iOS, iPadOS and macOS open webcal links themselves; for all others Google Calendar's dialog adds a calendar by its URL. */
export function subscribeUrl(webcalUrl: string, userAgent: string): string {
  const apple = /iPhone|iPad|iPod|Macintosh/.test(userAgent) && !/Android/.test(userAgent);
  return apple ? webcalUrl : `https://calendar.google.com/calendar/r?cid=${encodeURIComponent(webcalUrl)}`;
}
