import { expect, test } from '@jest/globals';
import { readSettings } from './config.ts';
import { checkPublicUrl, publicUrlSettings } from './public-url.ts';

test.each([
  [undefined, 'http://localhost:8080'],
  ['https://clinic.example/', 'https://clinic.example'],
])('%s', (url, parsed) => {
  expect(readSettings(publicUrlSettings, { PUBLIC_URL: url }).PUBLIC_URL).toBe(parsed);
});

test.each([
  ['production', undefined, true],
  ['production', 'http://localhost:8080', true],
  ['production', 'http://[::1]:8080', true],
  ['production', 'https://clinic.example', false],
  ['development', 'http://localhost:8080', false],
])('in %s, with %s, a warning is logged: %s', (NODE_ENV, PUBLIC_URL, isLogged) => {
  const lines: string[] = [];
  checkPublicUrl({ NODE_ENV, PUBLIC_URL }, { warn: (_fields: object, message: string) => lines.push(message) } as never);
  expect(lines).toHaveLength(isLogged ? 1 : 0);
});
