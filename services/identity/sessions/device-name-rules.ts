// The name of a session's device, from the User-Agent of its sign-in. Browsers also list the names of browsers that they are
// compatible with, so the more specific names come first.

const BROWSERS: [string, string][] = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['FxiOS/', 'Firefox'],
  ['Firefox/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
];
const SYSTEMS: [string, string][] = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Windows', 'Windows'],
  ['Macintosh', 'macOS'],
  ['Linux', 'Linux'],
];

/** For example `Chrome · Windows`, or `curl`; empty if the header names neither browser nor system. At most 40 characters. */
export function deviceName(userAgent: string): string {
  const named = [BROWSERS, SYSTEMS].flatMap((known) => known.find(([word]) => userAgent.includes(word))?.[1] ?? []);
  return named.length > 0 ? named.join(' · ') : (/^[A-Za-z][\w.-]{0,39}/.exec(userAgent)?.[0] ?? '');
}
