// Parses query strings strictly: each name once, valid UTF-8, no NUL.
import { type Detail, invalid, throwIfInvalid } from '@clinic/lib/errors/errors.ts';
import { checkString } from './json.ts';

const NONE = Object.freeze({});

/** The values of the parameters in `names`. Other parameters are added to `unknown` if it is given, and otherwise ignored. */
export function parseQuery(url: string, names: string[], unknown?: Detail[]): Record<string, string> {
  const start = url.indexOf('?');
  if (start < 0) return NONE;
  const values: Record<string, string> = {};
  for (const pair of url.slice(start + 1).split('&')) {
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals), 'query');
    if (!names.includes(name)) {
      if (pair !== '') unknown?.push({ path: name, message: `unknown query parameter (known: ${names.join(', ') || 'none'})` });
      continue;
    }
    if (Object.hasOwn(values, name)) invalid(name, 'must be given once');
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1), name);
    checkString(value, name);
    values[name] = value;
  }
  return values;
}

/** Throws VALIDATION_ERROR for any query parameter. */
export function refuseQuery(url: string): void {
  const unknown: Detail[] = [];
  parseQuery(url, [], unknown);
  throwIfInvalid(unknown[0]);
}

function decode(text: string, path: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return invalid(path, 'must be percent-encoded UTF-8');
  }
}
