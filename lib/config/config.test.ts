// Settings are read from the environment, or from files named in it, because orchestrators mount secrets as files.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { decimal, keyRing, port, readFileSettings, readSettings, requiredWith, SettingsError } from './config.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'clinic-settings-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
}

const shape = { SECRET: z.string().min(6), KEYS: keyRing, PORT: port(7000) };
const ring = `k1:${Buffer.alloc(32, 1).toString('base64')}`;

function faultsOf(env: NodeJS.ProcessEnv): string[] {
  try {
    readSettings(shape, env);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    return (error as Error).message.split('\n').slice(1, -1);
  }
}

test('a setting is read from the file in <NAME>_FILE, without the trailing line break that editors leave', () => {
  const settings = readSettings(shape, { SECRET_FILE: file('secret', 'hush-hush\n'), KEYS_FILE: file('keys', `${ring}\n`), PORT: '7100' });
  expect(settings).toEqual({ SECRET: 'hush-hush', KEYS: [{ id: 'k1', key: Buffer.alloc(32, 1) }], PORT: 7100 });
});

test('each invalid setting is reported once, without its value', () => {
  const faults = faultsOf({ SECRET_FILE: path.join(folder, 'nowhere'), KEYS: ring, KEYS_FILE: file('keys', ring), PORT_FILE: file('port', 'hush') });
  expect(faults).toEqual([
    '  SECRET_FILE: the file cannot be read (ENOENT)',
    '  KEYS_FILE: KEYS is set as well: remove one of the two',
    '  PORT: must be a port number',
  ]);
});

test.each(['0x10', '1e3', '80.0', '-1', '+80', '65536', 'true'])('%s is no port number', (text) => {
  expect(faultsOf({ SECRET: 'hush-hush', KEYS: ring, PORT: text })).toEqual(['  PORT: must be a port number']);
});

test.each([
  ['0.25', 0.25],
  ['1', 1],
  ['0x1', undefined],
  ['1e-1', undefined],
  ['.5', undefined],
  ['2', undefined],
])('%s as a setting from 0 to 1', (text, value) => {
  expect(decimal(0, 1, 'must be a number').safeParse(text).data).toBe(value);
});

test('settings that another one requires are reported with the other faults', () => {
  const store = { ENDPOINT: z.string().optional(), BUCKET: requiredWith('ENDPOINT'), KEY: requiredWith('ENDPOINT'), PORT: port(7000) };
  const faults = (env: NodeJS.ProcessEnv) => () => readSettings(store, env);
  expect(faults({ ENDPOINT: 'http://store', KEY: 'k', PORT: 'x' })).toThrow('  PORT: must be a port number\n  BUCKET: is required with ENDPOINT\n');
  expect(faults({ ENDPOINT: 'http://store', BUCKET: 'b', KEY_FILE: path.join(folder, 'nowhere') })).toThrow(/: *\n +KEY_FILE: [^\n]*\ndocs/);
  expect(readSettings(store, { BUCKET: 'b' })).toEqual({ BUCKET: 'b', PORT: 7000 });
  expect(readSettings(store, { ENDPOINT: 'http://store', BUCKET: 'b', KEY_FILE: file('key', 'k') })).toMatchObject({ BUCKET: 'b', KEY: 'k' });
});

test('an empty file counts as absent', () => {
  expect(faultsOf({ SECRET_FILE: file('empty', '\n'), KEYS: ring })).toEqual(['  SECRET: is required']);
});

test('a setting that is itself named <NAME>_FILE is not read as a file', () => {
  const operators = file('operators', 'ana:0123456789abcdef');
  const both = { SUPERADMIN_KEYS: z.string().default(''), SUPERADMIN_KEYS_FILE: z.string().optional() };
  expect(readSettings(both, { SUPERADMIN_KEYS_FILE: operators })).toEqual({ SUPERADMIN_KEYS: '', SUPERADMIN_KEYS_FILE: operators });
});

test('readFileSettings reads only the named settings', () => {
  const env = { SECRET_FILE: file('secret', 'hush-hush'), OTHER_FILE: 'as it is', PATH: '/bin' };
  expect(readFileSettings(['SECRET', 'PORT'], env)).toEqual({ SECRET: 'hush-hush', OTHER_FILE: 'as it is', PATH: '/bin' });
});
