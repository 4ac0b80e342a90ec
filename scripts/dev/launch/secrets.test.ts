// No configuration, whether it quotes a secret or not, can read the secret as a number or a boolean.
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { withPasswords } from '../embedded/nats-passwords.ts';
import { MAKERS, randomWord } from './secrets.ts';

const words = Object.entries({ ...MAKERS, password: randomWord, nats: () => /: "(.*)"$/m.exec(withPasswords(''))?.[1] ?? '' });

test.each(words)('%s is text in every configuration', (_name, make) => {
  const isText = (value: string) => /^[a-z]/.test(value) && parse(value) === value && parse(value, { version: '1.1' }) === value && Number.isNaN(Number(value));
  expect(Array.from({ length: 3_000 }, () => make()).filter((value) => !isText(value))).toEqual([]);
});
