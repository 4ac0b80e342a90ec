// Phones, national ids, names and what a search text means.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { maskDui, parseDui } from './dui.ts';
import { searchName } from './name.ts';
import { wantedBy } from './patient-search.ts';
import { toE164 } from './phone.ts';

describe('phones', () => {
  test('one number in several spellings is one', () => {
    const spellings = ['+50371234567', '7123-4567', '7123 4567', '(503) 7123-4567', '+503 7123 4567', '00503 7123 4567'];
    expect(new Set(spellings.map((text) => toE164(text, 'SV')))).toEqual(new Set(['+50371234567']));
  });
  test('what has the form of E.164 is taken as it is', () => {
    fc.assert(fc.property(fc.stringMatching(/^\+[1-9]\d{6,13}$/), (phone) => toE164(phone, 'SV') === phone));
  });
  test.each(['', 'abc', '12', '+', '+0123456789', '123456789012345678'])('%j is no phone', (text) => {
    expect(toE164(text, 'SV')).toBeUndefined();
  });
});

describe('DUI', () => {
  test('the dash is optional and a right check digit is verified', () => {
    expect(parseDui('00016297-5')).toEqual({ text: '00016297-5', verified: true });
    expect(parseDui('000162975')).toEqual({ text: '00016297-5', verified: true });
  });
  test('of ten check digits exactly one is right', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{8}$/), (body) => {
        expect([...'0123456789'].filter((check) => parseDui(`${body}-${check}`)?.verified)).toHaveLength(1);
      }),
    );
  });
  test.each(['', '1234567-8', '123456789-0', '12345678--9', 'abcdefgh-i', '12345678–9'])('%j is no DUI', (text) => {
    expect(parseDui(text)).toBeUndefined();
  });
  test('lists show its last three characters', () => {
    expect(maskDui('01234578-9')).toBe('******78-9');
  });
});

test('a name is searched without case and accents, by the beginning of any word', () => {
  expect(searchName('María José  Ñuñez-O’Neil')).toBe(' maria jose nunez o neil');
  expect(wantedBy('NÚÑ')).toEqual({ kind: 'name', pattern: '% nun%' });
  expect(wantedBy('7123-45')).toEqual({ kind: 'phone', pattern: '%712345%' });
  expect(wantedBy('00016297-5')).toMatchObject({ kind: 'dui', dui: { text: '00016297-5' } });
  expect(wantedBy('  ')).toEqual({ kind: 'all' });
});
