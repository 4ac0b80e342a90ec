// No configuration, whether it quotes a secret or not, can read the secret as a number or a boolean. Lost encryption keys are not replaced by new ones.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { withPasswords } from '../embedded/nats-passwords.ts';
import { StartFault } from '../start-fault.ts';
import { tempFolder } from '../temp-folder.ts';
import { MAKERS, randomWord, requireEncryptionKeys, withStoredSecrets } from './secrets.ts';

const folder = tempFolder('stored-secrets');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const words = Object.entries({ ...MAKERS, password: randomWord, nats: () => /: "(.*)"$/m.exec(withPasswords(''))?.[1] ?? '' });

test.each(words)('%s is text in every configuration', (_name, make) => {
  const isText = (value: string) => /^[a-z]/.test(value) && parse(value) === value && parse(value, { version: '1.1' }) === value && Number.isNaN(Number(value));
  expect(Array.from({ length: 3_000 }, () => make()).filter((value) => !isText(value))).toEqual([]);
});

test('a data folder with a database but without its encryption keys is refused', () => {
  const file = path.join(folder, 'secrets.env');
  const check = (env = {}) => requireEncryptionKeys(env, folder);
  check(); // the first start
  withStoredSecrets({}, folder);
  mkdirSync(path.join(folder, 'postgres/cluster'), { recursive: true });
  check();
  for (const lose of [() => writeFileSync(file, ''), () => rmSync(file)]) {
    lose();
    expect(check).toThrow(StartFault);
    check({ ENCRYPTION_KEYS: MAKERS.ENCRYPTION_KEYS?.() });
    check({ DATABASE_URL: 'postgres://elsewhere/clinic' });
  }
});
