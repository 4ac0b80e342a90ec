// Thousands of bad requests, generated from the schemas of the rows: each has one fault in an otherwise acceptable request.
import fc from 'fast-check';
import type { Body } from './api.ts';
import { coreOf, schemaOf } from './rows.ts';

/** Whether another alternative of the field accepts this text. */
function takes(field: Body, text: unknown): boolean {
  if (field.anyOf) return field.anyOf.some((one: Body) => takes(one, text));
  return typeof text === 'string' && field.pattern !== undefined && new RegExp(field.pattern, 'u').test(text);
}

/** A fault: its description, and the part of the request that has it. */
export type Fault = { what: string; value: Body };

const NUL = 'a\0b';
const LONE = ['\ud800', 'x\udfff', '\udc00\ud800'];
const DATES = [
  '2026-02-30',
  '2026-13-01',
  '2026-00-10',
  '2025-02-29',
  '0000-00-00',
  '2026-1-1',
  '01/02/2026',
  '20260101',
  '2026-01-01T00:00:00Z',
  ' 2026-01-01',
];
/** Outside of almost every range. */
const NUMBERS = ['0', '-1', '1.5', '1e99', 'NaN', 'Infinity', '99999999999999999999', '1;drop table x'];
const HUGE = [1e300, -1e300, Number.MAX_SAFE_INTEGER, 2 ** 31, -(2 ** 31) - 1, -1, 1.5];

const anyOf = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const container = fc.oneof(
  fc.array(fc.integer()),
  fc.dictionary(fc.string(), fc.string()),
  anyOf<unknown>([], {}, [[]], [null], { length: 1 }, { toString: 'x' }),
);
/** Longer than any text without a format may be. */
const longText = fc.constant('ñ'.repeat(20_001));
const brokenText = fc.oneof(
  anyOf(NUL, ...LONE),
  fc.tuple(fc.string(), anyOf('\0', ...LONE), fc.string()).map((parts) => parts.join('')),
);

/** Values that a JSON field of this schema must refuse. */
function badValues(field: Body): fc.Arbitrary<unknown> {
  const core = coreOf(field);
  switch (core.type) {
    case 'string':
      return fc.oneof(
        container,
        fc.oneof(fc.integer(), fc.boolean(), fc.double({ noNaN: true, noDefaultInfinity: true })),
        longText,
        brokenText,
        badTexts(core),
      );
    case 'integer':
    case 'number':
      return fc.oneof(container, fc.string({ minLength: 1 }), fc.boolean(), anyOf(...HUGE.filter((number) => !fits(core, number))));
    case 'boolean':
      return fc.oneof(container, fc.integer(), anyOf<unknown>('true', 'false', 'yes', 0, 1));
    case 'array':
      return fc.oneof(fc.integer(), fc.boolean(), fc.string({ minLength: 1 }), fc.dictionary(fc.string(), fc.string()), badItems(core));
    default:
      return fc.oneof(fc.integer(), fc.boolean(), fc.string({ minLength: 1 }), fc.array(fc.integer()));
  }
}

function fits({ type, minimum, maximum }: Body, number: number): boolean {
  return (type !== 'integer' || Number.isInteger(number)) && number >= (minimum ?? -Infinity) && number <= (maximum ?? Infinity);
}

function badTexts({ enum: allowed, format, pattern }: Body): fc.Arbitrary<string> {
  if (allowed)
    return fc.oneof(fc.string({ minLength: 1 }), anyOf('__proto__', 'constructor', allowed[0].toUpperCase())).filter((text) => !allowed.includes(text));
  if (format === 'date') return fc.oneof(anyOf(...DATES), fc.string({ minLength: 1 }));
  if (format === 'uuid') return fc.oneof(fc.string({ minLength: 1 }), anyOf('00000000-0000-0000-0000-00000000000', "' or 1=1 --", '../../etc/passwd'));
  if (pattern) return fc.string({ minLength: 1 }).filter((text) => !new RegExp(pattern, 'u').test(text));
  if (format) return anyOf('none', 'a@', '@b', 'javascript:alert(1)', 'http:/', 'a b');
  return brokenText;
}

function badItems({ items = {}, maxItems }: Body): fc.Arbitrary<unknown> {
  const inside = items.type === 'object' ? badObjects(items) : badValues(items);
  const bad = fc.array(inside, { minLength: 1, maxLength: 3 });
  return maxItems === undefined
    ? bad
    : fc.oneof(bad, fc.constant(Array.from({ length: maxItems + 1 }, () => ({ dayOfWeek: 1, startTime: '08:00', endTime: '09:00' }))));
}

function badObjects({ properties, required = [] }: Body): fc.Arbitrary<unknown> {
  const whole = Object.fromEntries(Object.keys(properties).map((name) => [name, null]));
  const missing = required.map((name: string) => fc.constant({ ...whole, [name]: undefined }));
  const wrong = Object.entries<Body>(properties).map(([name, field]) => badValues(field).map((value) => ({ ...whole, [name]: value })));
  return fc.oneof(...missing, ...wrong);
}

/** Bodies with one fault each: a missing field, or one with a value that must be refused. */
export function badBodies(part: Parameters<typeof schemaOf>[0], good: Body): fc.Arbitrary<Fault> {
  const { properties = {}, required = [] } = schemaOf(part) ?? {};
  const missing: string[] = required.filter((name: string) => properties[name]?.default === undefined);
  return fc.oneof<fc.Arbitrary<Fault>[]>(
    ...missing.map((name) => fc.constant({ what: `${name} missing`, value: { ...good, [name]: undefined } })),
    ...missing.map((name) => fc.constant({ what: `${name} null`, value: { ...good, [name]: null } })),
    ...Object.entries<Body>(properties).map(([name, field]) => badValues(field).map((bad) => ({ what: name, value: { ...good, [name]: bad } }))),
  );
}

/** Query strings with one fault each. In these, numbers and dates are text. */
export function badQueries(part: Parameters<typeof schemaOf>[0], good: Record<string, string>): fc.Arbitrary<Fault> {
  const { properties = {} } = schemaOf(part) ?? {};
  const others = (name: string) =>
    Object.entries(good)
      .filter(([other]) => other !== name)
      .map(([other, value]) => `&${other}=${value}`)
      .join('');
  const raw = anyOf('%00', '%ff', '%c3%28', '%', '%zz', '%ed%a0%80', 'a%00b');
  return fc.oneof(
    ...Object.keys(properties).flatMap((name) => [
      raw.map((bad) => ({ what: name, value: `?${name}=${bad}${others(name)}` })),
      fc.constant({ what: `${name} twice`, value: `?${name}=1&${name}=1` }),
    ]),
    ...Object.entries<Body>(properties).flatMap(([name, field]) => {
      const core = coreOf(field);
      const bad = badQueryTexts(core);
      return bad
        ? [bad.filter((text) => !takes(field, text)).map((text) => ({ what: name, value: `?${name}=${encodeURIComponent(text)}${others(name)}` }))]
        : [];
    }),
  );
}

function badQueryTexts(core: Body): fc.Arbitrary<string> | undefined {
  const text = fc.string({ minLength: 1 }).filter((one) => one.isWellFormed() && !/^\s*[\d.e+-]*\s*$/i.test(one));
  if (core.type === 'integer' || core.type === 'number') return fc.oneof(anyOf(...NUMBERS.filter((one) => !fits(core, Number(one)))), text);
  if (core.format === 'date') return fc.oneof(anyOf(...DATES), text);
  if (core.enum || core.format) return fc.oneof(text, anyOf('__proto__', 'constructor', "' or '1'='1"));
  return anyOf('x'.repeat(5000));
}

const deep = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);

/** Complete bodies that no route accepts, as sent over the network, with their content type. */
export const brokenBodies: { what: string; body: string | Uint8Array; type?: string }[] = [
  { what: 'nothing of JSON', body: 'hello' },
  { what: 'cut off', body: '{"fullName": "A' },
  { what: 'a trailing comma', body: '{"fullName": "A",}' },
  { what: 'single quotes', body: "{'a': 1}" },
  { what: 'NaN', body: '{"a": NaN}' },
  { what: 'a comment', body: '{"a": 1} // b' },
  { what: 'two documents', body: '{}{}' },
  { what: 'blanks only', body: '   ' },
  { what: 'a list', body: '[]' },
  { what: 'a text', body: '"text"' },
  { what: 'a number', body: '42' },
  { what: 'null', body: 'null' },
  { what: 'a deep object', body: `${'{"a":'.repeat(200)}1${'}'.repeat(200)}` },
  { what: 'a deep list', body: `{"a":${deep(5_000, '[', ']')}}` },
  { what: 'a very deep list that never ends', body: '['.repeat(100_000) },
  { what: 'a name twice', body: '{"doctorId": "1", "doctorId": "2"}' },
  { what: 'a name twice, once escaped', body: '{"email": "a", "\\u0065mail": "b"}' },
  { what: 'a name twice within', body: '{"workingHours": [{"dayOfWeek": 1, "dayOfWeek": 2}]}' },
  { what: '__proto__', body: '{"__proto__": {"isAdmin": true}}' },
  { what: '__proto__ within', body: '{"a": {"__proto__": {}}}' },
  { what: 'constructor', body: '{"constructor": {"prototype": {"x": 1}}}' },
  { what: 'prototype', body: '{"prototype": 1}' },
  { what: 'NUL escaped', body: '{"anything": "\\u0000"}' },
  { what: 'NUL raw', body: '{"anything": "\0"}' },
  { what: 'half a surrogate pair', body: '{"anything": "\\ud83d"}' },
  { what: 'half a surrogate pair in a name', body: '{"\\udc00": 1}' },
  { what: 'bytes that are no UTF-8', body: Uint8Array.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d]) },
  { what: 'an overlong slash', body: Uint8Array.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d]) },
  { what: 'more than 256 KiB', body: `{"a": "${'x'.repeat(256 * 1024)}"}` },
  { what: 'many names', body: `{${Array.from({ length: 25_000 }, (_, index) => `"k${index}":1`).join(',')}}` },
  { what: 'a form', body: 'fullName=A&phone=1', type: 'application/x-www-form-urlencoded' },
  { what: 'JSON called text', body: '{}', type: 'text/plain' },
  { what: 'JSON in another charset', body: '{}', type: 'application/json; charset=utf-16' },
  { what: 'XML', body: '<a/>', type: 'application/xml' },
  { what: 'multipart without parts', body: '--x--', type: 'multipart/form-data; boundary=x' },
  { what: 'no type at all', body: '{}', type: '' },
];

/** Path segments that are not ids. */
export const badIds = [
  'none',
  '0',
  '-1',
  '1e9',
  'null',
  'undefined',
  '%00',
  '%20',
  '..%2f..',
  "'%20or%201=1",
  '%F0%9F%98%80',
  '00000000-0000-0000-0000-00000000000g',
  'x'.repeat(3000),
];
/** Path segments that are not valid text. */
export const brokenSegments = ['%', '%zz', '%c3%28', '%ff', '%ed%a0%80'];
