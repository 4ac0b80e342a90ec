// Search parameters of FHIR (https://hl7.org/fhir/R4/search.html) that this API supports. An unknown parameter is refused: if a filter were
// ignored, the search would return records that the client did not request.
import { invalid } from '@clinic/lib/errors/errors.ts';
import { addDays, isLocalDate } from '@clinic/lib/formats/local-date.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { checkString } from '../http/json.ts';

/** The values of each parameter, in the order of the query. */
export type Parameters = Record<string, string[]>;

const MAX_COUNT = 100;
/** Every search accepts these: the size of a page, its number, and the format, which is always JSON. */
const COMMON = ['_count', '_page', '_format'];
const FORMATS = ['json', 'application/json', 'application/fhir+json'];

/** Only the parameters in `repeated` may be given several times. Throws VALIDATION_ERROR for an unknown name, for no value and for any other repetition. */
export function parseParameters(url: string, names: string[], repeated: string[] = []): Parameters {
  const start = url.indexOf('?');
  const values: Parameters = {};
  for (const [name, value] of new URLSearchParams(start < 0 ? '' : url.slice(start + 1))) {
    if (![...names, ...repeated, ...COMMON].includes(name)) invalid(name, `unknown search parameter (known: ${[...names, ...repeated, ...COMMON].join(', ')})`);
    if (value === '') invalid(name, 'must have a value');
    checkString(value, name);
    const earlier = values[name] ?? [];
    if (earlier.length > 0 && !repeated.includes(name)) invalid(name, 'must be given once');
    values[name] = [...earlier, value];
  }
  const [format] = values._format ?? [];
  if (format !== undefined && !FORMATS.includes(format)) invalid('_format', 'must be json');
  return values;
}

export type Page = { page: number; limit: number };

export const parsePage = ({ _page, _count }: Parameters): Page => ({
  page: parseInteger('_page', _page?.[0], 1, 1_000_000),
  limit: parseInteger('_count', _count?.[0], 20, MAX_COUNT),
});

function parseInteger(name: string, text: string | undefined, fallback: number, max: number): number {
  if (text === undefined) return fallback;
  const value = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  return value >= 1 && value <= max ? value : invalid(name, `must be an integer from 1 to ${max}`);
}

/** The value of `_id`. Only the parameters of every search may accompany it: a search by id would ignore the others. */
export function parseId({ _id, ...others }: Parameters): string | undefined {
  const other = _id && Object.keys(others).find((name) => !COMMON.includes(name));
  return other === undefined ? _id?.[0] : invalid(other, 'must not be combined with _id');
}

/** The id in `<base>/Patient/<id>`, `Patient/<id>` or `<id>`; `base` is the address of this API. */
export function parseReference(name: string, type: string, values: string[] | undefined, base: string): string | undefined {
  const [value] = values ?? [];
  if (value === undefined) return undefined;
  const prefix = [`${base}/${type}/`, `${type}/`].find((one) => value.startsWith(one)) ?? '';
  const id = value.slice(prefix.length);
  return isUuid(id) ? id.toLowerCase() : invalid(name, `must be ${type}/<id>`);
}

export type Days = { from?: string; to?: string };

/** Days from parameters like `ge2026-11-22`; `from` and `to` are included. */
export function parseDays(name: string, values: string[] = []): Days {
  const days: Days = {};
  for (const value of values) {
    const [, prefix = 'eq', date = ''] = /^(eq|ge|gt|le|lt)?(\d{4}-\d{2}-\d{2})$/.exec(value) ?? [];
    if (!isLocalDate(date)) invalid(name, 'must be a day, YYYY-MM-DD, optionally prefixed by eq, ge, gt, le or lt');
    const from = prefix === 'gt' ? addDays(date, 1) : date;
    const to = prefix === 'lt' ? addDays(date, -1) : date;
    if (prefix !== 'le' && prefix !== 'lt' && (days.from === undefined || from > days.from)) days.from = from;
    if (prefix !== 'ge' && prefix !== 'gt' && (days.to === undefined || to < days.to)) days.to = to;
  }
  return days;
}

/** The entry of `known` whose key is the value of the parameter. */
export function parseCode<Value>(name: string, values: string[] | undefined, known: Record<string, Value>): Value | undefined {
  const [code] = values ?? [];
  if (code === undefined) return undefined;
  return Object.hasOwn(known, code) ? known[code] : invalid(name, `must be one of ${Object.keys(known).join(', ')}`);
}
