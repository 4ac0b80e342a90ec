// No configuration, whether it quotes a secret or not, can read the secret as a number or a boolean.
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { withPasswords } from '../embedded/nats-passwords.ts';
import { MAKERS, randomWord } from './secrets.ts';

const words = Object.entries({ ...MAKERS, password: randomWord, nats: () => /: "(.*)"$/m.exec(withPasswords(''))?.[1] ?? '' });

test.each(words)('%s is text in every configuration', (_name, make) => {
  for (let i = 0; i < 3_000; i++) {
    const value = make();
    expect(value).toMatch(/^[a-z]/);
    expect(parse(value)).toBe(value);
    expect(parse(value, { version: '1.1' })).toBe(value);
    expect(Number(value)).toBeNaN();
  }
});
