import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { v7 } from 'uuid';
import { isClockTime, parseClockTime } from './clock-time.ts';
import { toCsv, unguardCell } from './csv.ts';
import { isDuiCheckDigitRight, maskDui, normalizeDui } from './dui.ts';
import { normalizeEmail } from './email.ts';
import { DEFAULT_ZONE, dateIn, isLocalDate, monthIn, parseDayRange, parseLocalDate } from './local-date.ts';
import { formatCents, fromCents, isAmount, MAX_CENTS, parseCents, toCents } from './money.ts';
import { normalizeNit } from './nit.ts';
import { toKeysetPage } from './page.ts';
import { toE164 } from './phone.ts';
import { namePatterns, searchName } from './search-name.ts';
import { escapeXml } from './svg.ts';
import { parseOptionalText, parseText } from './text.ts';
import { timeOfUuid } from './uuid.ts';

describe('e-mail', () => {
  test('is stored in lower case and composed form (Unicode NFC), without surrounding spaces', () => {
    for (const form of ['NFC', 'NFD']) expect(normalizeEmail(' Ana.Pérez@Clinica.Example '.normalize(form))).toBe('ana.pérez@clinica.example');
  });

  // The rules of earlier releases for accounts and for patients: what they accepted is stored and must stay valid.
  const ACCOUNT = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
  const PATIENT = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
  const piece = fc.string({ unit: fc.constantFrom(...'abz09.-_+!#$%\'`{|}~@ ,<>"é'), maxLength: 8 });
  const candidate = fc.oneof(
    fc.emailAddress(),
    fc.tuple(piece, piece, piece).map(([user, host, top]) => `${user}@${host}.${top}`),
    fc.string({ maxLength: 20 }),
  );

  test('accepts every address that an earlier rule accepted, except those that a mail header would parse as several addresses', () => {
    fc.assert(
      fc.property(candidate, (text) => {
        const accepted = normalizeEmail(text) !== undefined;
        if (ACCOUNT.test(text.trim().toLowerCase())) expect(accepted).toBe(true);
        if (PATIENT.test(text.trim())) expect(accepted).toBe(!/[<>,;"\p{Cc}]/u.test(text.trim()));
      }),
      { numRuns: 3_000 },
    );
  });

  test('has at most 254 characters', () => {
    const domain = `@${'x'.repeat(60)}.example`;
    expect(normalizeEmail('a'.repeat(254 - domain.length) + domain)).toBeDefined();
    expect(normalizeEmail('a'.repeat(255 - domain.length) + domain)).toBeUndefined();
  });
});

test('the creation time of a UUIDv7 can be read from it', () => {
  expect(timeOfUuid(v7({ msecs: 1_780_000_000_123 }))).toBe(1_780_000_000_123);
});

describe('DUI and NIT', () => {
  test('a DUI may be written with or without dash and spaces', () => {
    for (const text of ['00016297-5', '000162975', ' 0001 6297 5 ']) expect(normalizeDui(text)).toBe('00016297-5');
    for (const text of ['', '0001629-75x', '00016297-55', '٠٠٠١٦٢٩٧-٥']) expect(normalizeDui(text)).toBeUndefined();
  });

  test('exactly one check digit is correct', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99_999_999 }), (number) => {
        const body = String(number).padStart(8, '0');
        const right = [...'0123456789'].filter((digit) => isDuiCheckDigitRight(`${body}-${digit}`));
        expect(right).toHaveLength(1);
      }),
    );
    expect(isDuiCheckDigitRight('00016297-5')).toBe(true);
    expect(isDuiCheckDigitRight('00000000-0')).toBe(false);
  });

  test('a masked DUI shows the last two digits of the number and the check digit', () => expect(maskDui('01234567-8')).toBe('******67-8'));

  test('a NIT has 14 digits or is a DUI with the right check digit', () => {
    expect(normalizeNit('0614-010190-101-5')).toBe('06140101901015');
    expect(normalizeNit('00016297-5')).toBe('000162975');
    expect(normalizeNit('00016297-6')).toBeUndefined();
    expect(normalizeNit('0614-010190-101')).toBeUndefined();
  });
});

test('a phone is stored as E.164, read as a number of the country unless it has a country code', () => {
  expect(toE164('7123 4567', 'SV')).toBe('+50371234567');
  expect(toE164('+1 415-555-2671', 'SV')).toBe('+14155552671');
  expect(toE164('+50312345', 'SV')).toBe('+50312345');
  for (const text of ['', '12', 'mañana', '+0123456', '7777-1234 ext 5', '7000123a', '70001234abc', `7123${' '.repeat(40)}4567`])
    expect(toE164(text, 'SV')).toBeUndefined();
  expect(toE164('7123 4567', 'nowhere')).toBeUndefined();
});

test.each([
  ['1 305 555 1234', 'SV', '+13055551234'],
  ['502 5555 1234', 'SV', '+50255551234'],
  ['503 7890 1234', 'SV', '+50378901234'],
  ['00 1 305 555 1234', 'SV', '+13055551234'],
  ['52 55 1234 5678', 'SV', '+525512345678'],
  ['800 1234', 'SV', '+5038001234'],
  ['800 1234 5678', 'SV', '+50380012345678'],
  ['1 305 155 1234', 'SV', undefined],
  ['502 5555 1234 ext 5', 'SV', undefined],
  ['503 7890 1234', 'GT', '+50378901234'],
  ['502 5555 1234', 'US', '+50255551234'],
  ['55 1234 5678', 'MX', '+525512345678'],
  ['11 91234 5678', 'BR', '+5511912345678'],
])('%s in %s, with or without a country code, is %s', (text, country, expected) => {
  expect(toE164(text, country)).toBe(expected);
});

describe('dates and times', () => {
  test('a local date exists, in the years 1900 to 2199', () => {
    for (const date of ['2024-02-29', '1900-01-01', '2199-12-31']) expect(isLocalDate(date)).toBe(true);
    for (const date of ['2023-02-29', '1899-12-31', '2200-01-01', '2024-13-01', '2024-00-10', '2024-1-1', '2024-02-29T00:00', ''])
      expect(isLocalDate(date)).toBe(false);
    expect(() => parseLocalDate('from', '1/2/2024')).toThrow('from: must be a date that exists, YYYY-MM-DD');
    expect(() => parseLocalDate('from', '2023-02-29')).toThrow('from: must be a date that exists');
  });

  test('a range of days has an end that is not before its start, or is open', () => {
    const [first, last] = ['2024-02-28', '2024-02-29'];
    for (const range of [
      { from: first, to: last },
      { from: last, to: last },
      { from: last, to: undefined },
      { from: undefined, to: first },
    ])
      expect(parseDayRange(range.from, range.to)).toEqual(range);
    expect(() => parseDayRange(last, first, ['start', 'end'])).toThrow('end: must not be before start');
    expect(() => parseDayRange('2023-02-29', last)).toThrow('from: must be a date that exists');
    expect(() => parseDayRange(first, 'x')).toThrow('to: must be a date that exists');
  });

  test('every day of a calendar is a local date', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date('1900-01-01'), max: new Date('2199-12-31'), noInvalidDate: true }), (day) =>
        isLocalDate(day.toISOString().slice(0, 10)),
      ),
    );
  });

  test('days and months begin at midnight of the zone', () => {
    const dates = ['2026-06-01T05:59:59Z', '2026-06-01T06:00:00Z'].map((at) => dateIn(DEFAULT_ZONE, new Date(at)));
    expect(dates).toEqual(['2026-05-31', '2026-06-01']);
    const december = { from: new Date('2026-12-01T06:00:00Z'), to: new Date('2027-01-01T06:00:00Z') };
    for (const at of ['2026-12-01T06:00:00Z', '2027-01-01T05:59:59Z']) expect(monthIn(DEFAULT_ZONE, new Date(at))).toEqual(december);
  });

  test('a clock time is shown as HH:MM', () => {
    expect(parseClockTime('at', '23:59:00')).toBe('23:59');
    expect(() => parseClockTime('at', '23:59:59')).toThrow('at: must be HH:MM');
    expect(parseClockTime('at', '09:00')).toBe('09:00');
    for (const text of ['24:00', '9:00', '09:60', '09:00:60', '']) expect(isClockTime(text)).toBe(false);
  });
});

describe('money', () => {
  test('every number of cents is unchanged after the conversion to JSON and back', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: MAX_CENTS }), (cents) => {
        expect(toCents(JSON.parse(JSON.stringify(fromCents(cents))))).toBe(cents);
        expect(isAmount(fromCents(cents))).toBe(true);
      }),
    );
  });

  test('is shown with the symbol of its currency and two decimals, whatever the currency, unless another number is given', () => {
    expect([formatCents(123450n, 'USD'), formatCents(-5n, 'USD'), formatCents(123450n, 'GTQ'), formatCents(123450n, 'JPY')]).toEqual([
      ...['$1,234.50', '-$0.05', 'Q\u00a01,234.50', '¥1,234.50'],
    ]);
    expect(formatCents(123450n, 'USD', 0)).toBe('$1,235');
  });

  test('is positive, limited and has at most two decimals', () => {
    for (const amount of [0, -1, 0.001, 1.005, 100_000_000, Number.NaN]) expect(isAmount(amount)).toBe(false);
    for (const cents of [0n, -1n, MAX_CENTS + 1n])
      expect(() => parseCents('amount', cents)).toThrow('amount: must be a positive amount of at most 99,999,999.99');
  });
});

describe('CSV', () => {
  test('a file begins with a byte order mark and its header; lines end in CRLF', () => {
    expect(toCsv([['a', null]], ['x', 'y'])).toBe('\uFEFF"x","y"\r\n"a",\r\n');
    expect(toCsv([['b "c"', 'd,e']])).toBe('"b ""c""","d,e"\r\n');
    expect(toCsv([], ['x'])).toBe('\uFEFF"x"\r\n');
  });

  test('a cell that a spreadsheet would evaluate as a formula is prefixed; a negative number is not', () => {
    expect(toCsv([['=1+1', '+50371234567', '@x', '-2+3', '-12.50', '7']])).toBe(`"'=1+1","'+50371234567","'@x","'-2+3","-12.50","7"\r\n`);
  });

  test('no part of a cell is a formula for a reader that divides lines at semicolons or tabs, and an import restores the cell', () => {
    const cell = fc.array(fc.constantFrom('=', '+1', '-', '@', '＝', ';', ',', '\t', '\r', '\n', '"', ' ', 'a', '7'), { maxLength: 8 });
    fc.assert(
      fc.property(cell, (pieces) => {
        const given = pieces.join('');
        const text = toCsv([['x', given]]).slice('"x",'.length, -'\r\n'.length);
        const isNumber = /^"-?\d+"$/.test(text);
        for (const part of text.split(/[;\t\r\n]/)) expect(isNumber || !/^[" ]*[=+\-@＝]/.test(part)).toBe(true);
        expect(unguardCell(text.slice(1, -1).replaceAll('""', '"'))).toBe(given);
      }),
      { numRuns: 3_000 },
    );
  });
});

test('a name is searched by the beginnings of its words, without case and accents', () => {
  expect(searchName('  María-José   NÚÑEZ ')).toBe(' maria jose nunez');
  expect(searchName("  Rosa O’Brien D'Aubuisson")).toBe(' rosa o brien d aubuisson obrien daubuisson');
  expect(searchName('Łukasz Jørgensen Weiß Ægir Đorđe Sigurður Þór Œuvrard')).toBe(' lukasz jorgensen weiss aegir dorde sigurdur thor oeuvrard');
  expect(searchName('¡!')).toBe('');
});

test('each word of a search begins some word of the name, in any order, and apostrophes do not matter', () => {
  const matches = (search: string, name: string) => {
    const patterns = namePatterns(search);
    return patterns.length > 0 && patterns.every((pattern) => searchName(name).includes(pattern.slice(1, -1)));
  };
  for (const search of ['jose nunez', 'NÚÑEZ josé', 'peña ang', 'jo jose', 'Nuñez, José']) expect(matches(search, 'José Ángel Núñez Peña')).toBe(true);
  for (const search of ['jose nunez luis', 'ose', 'joseangel', '%', '_', '\\', "'", '¿?']) expect(matches(search, 'José Ángel Núñez Peña')).toBe(false);
  for (const search of ['obrien', "o'brien", 'O’BRIEN', 'o brien', 'brien']) expect(matches(search, "Rosa O'Brien")).toBe(true);
  const word = fc.stringMatching(/^[A-Za-zÁÉÍÓÚÑáéíóúñ]{1,8}(['’][a-zñé]{1,5})?$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), fc.infiniteStream(fc.nat({ max: 12 })), (words, lengths) => {
      const beginnings = words.map((one) => one.slice(0, Math.max(1, lengths.next().value))).reverse();
      expect(matches(beginnings.join(' '), words.join(' '))).toBe(true);
      expect(namePatterns(words.join(' ')).join('')).not.toMatch(/[^% \p{L}]/u);
    }),
  );
});

test('text in XML has no markup and no control characters, and retains its lines', () => {
  expect(escapeXml('<a b="c">&\u0000\u001f\n\n\tb')).toBe('&lt;a b=&quot;c&quot;&gt;&amp;  \n\n\tb');
});

test('text is trimmed, limited in length, and accepted only if PostgreSQL can store it', () => {
  expect(parseText('name', ' Ana ', 3)).toBe('Ana');
  expect(parseOptionalText('name', ' \n', 3)).toBeNull();
  expect(() => parseText('name', ' ', 3)).toThrow('name: must not be empty');
  expect(() => parseText('name', 'Anna', 3)).toThrow('name: must have at most 3 characters');
  for (const text of ['a\0', '\ud800']) expect(() => parseOptionalText('name', text, 3)).toThrow('name: must be well-formed text without NUL');
});

const INVISIBLE = ['\u200b', '\u2060', '\ufeff', '\u00ad', '\u200e\u200f', '\u061c\u2066\u2069', '\u200d', '\u3164', ' \u200b\t\u2060 ', '\u0001\u007f'];

test.each(INVISIBLE)('text that consists only of invisible characters is blank: %j', (text) => {
  expect(() => parseText('name', text, 9)).toThrow('name: must not be empty');
  expect(parseOptionalText('name', text, 9)).toBeNull();
});

test('invisible characters within visible text are retained, for example the joiners of emoji', () => {
  for (const text of ['👩‍⚕️', '❤️', 'Ñandú Ibáñez', 'Jose\u0301', 'می‌خواهم', '-']) expect(parseText('name', text, 20)).toBe(text);
});

test('the first page of all rows begins before every id, and a limit stays within its maximum', () => {
  expect(toKeysetPage({ afterClinicId: '', afterId: '', limit: 0 }, 10)).toEqual([...Array(2).fill('00000000-0000-0000-0000-000000000000'), 1]);
  expect(toKeysetPage({ afterClinicId: 'a', afterId: 'b', limit: 99 }, 10)).toEqual(['a', 'b', 10]);
});
