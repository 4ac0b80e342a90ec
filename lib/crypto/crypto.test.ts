import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anyText } from '../testing/any-text.ts';
import { blindIndex, blindIndexes, decrypt, encrypt } from './crypto.ts';

const [first, second] = ['2025', '2026'].map((id) => ({ id, key: randomBytes(32) })) as [{ id: string; key: Buffer }, { id: string; key: Buffer }];
const context = fc.string();

describe('an encrypted text', () => {
  test('decrypts to the original', () => {
    fc.assert(fc.property(anyText, context, (plain, where) => expect(decrypt([first], encrypt([first], plain, where), where)).toBe(plain)));
  });

  test('differs each time and does not contain the text', () => {
    const [one, two] = [encrypt([first], '00016297-5', 'here'), encrypt([first], '00016297-5', 'here')];
    expect(one.equals(two)).toBe(false);
    expect(one.includes('00016297-5')).toBe(false);
  });

  test('does not decrypt with another context', () => {
    fc.assert(
      fc.property(anyText, context, context, (plain, here, there) => {
        fc.pre(here !== there);
        expect(() => decrypt([first], encrypt([first], plain, here), there)).toThrow();
      }),
    );
  });

  test('does not decrypt with a flipped bit or when cut short', () => {
    fc.assert(
      fc.property(anyText, fc.nat(), (plain, at) => {
        const encrypted = encrypt([first, second], plain, 'here');
        const bit = at % (encrypted.length * 8);
        const flipped = Buffer.from(encrypted);
        flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        expect(() => decrypt([first, second], flipped, 'here')).toThrow();
        expect(() => decrypt([first, second], encrypted.subarray(0, at % encrypted.length), 'here')).toThrow();
      }),
    );
  });

  test('decrypts after a key rotation, as long as its key is in the ring', () => {
    fc.assert(
      fc.property(anyText, (plain) => {
        const old = encrypt([first], plain, 'here');
        expect(decrypt([second, first], old, 'here')).toBe(plain);
        expect(() => decrypt([second], old, 'here')).toThrow('2025');
      }),
    );
  });
});

describe('a blind index', () => {
  test('is the same for the same value, clinic and column only', () => {
    const index = (key = first, where = 'a:dui', value = '000162975') => blindIndex(key, where, value).toString('hex');
    expect(index()).toBe(index());
    expect(new Set([index(), index(second), index(first, 'b:dui'), index(first, 'a:dui', '000162976')]).size).toBe(4);
  });

  test('is found by the old key during a key rotation', () => {
    const stored = blindIndex(first, 'a:dui', '000162975');
    expect(blindIndexes([second, first], 'a:dui', '000162975')[1]).toEqual(stored);
    expect(blindIndexes([second, first], 'a:dui', '000162975')[0]).toEqual(blindIndex(second, 'a:dui', '000162975'));
  });
});
