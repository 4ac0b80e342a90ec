// Parses query strings strictly: each name once, valid UTF-8, no NUL.
import { fail } from '@clinic/lib/errors/errors.ts';
import { checkString } from './json.ts';

const NONE = Object.freeze({});

/** The named values of the query of `url`; other names are ignored. */
export function parseQuery(url: string, names: string[]): Record<string, string> {
  const start = url.indexOf('?');
  if (start < 0) return NONE;
  const values: Record<string, string> = {};
  for (const pair of url.slice(start + 1).split('&')) {
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    if (!names.includes(name)) continue;
    if (Object.hasOwn(values, name)) fail('VALIDATION_ERROR', `${name}: must be given once`, [{ path: name, message: 'must be given once' }]);
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
    checkString(value, name);
    values[name] = value;
  }
  return values;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return fail('VALIDATION_ERROR', 'The query is not percent-encoded UTF-8');
  }
}
