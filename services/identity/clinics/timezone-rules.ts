// Names of time zones. Offsets such as +02:00 are rejected, because they do not follow daylight saving time.

const NAME = /^(?:UTC|[A-Za-z_]+(?:\/[A-Za-z0-9_+-]+)+)$/;

export function isTimezone(name: string): boolean {
  if (name.length > 64 || !NAME.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
