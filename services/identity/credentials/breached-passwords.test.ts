// The check of new passwords against known breaches.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { createBreachCheck } from './breached-passwords.ts';

describe('breached passwords', () => {
  const warnings: unknown[] = [];
  const log = { warn: (...args: unknown[]) => warnings.push(args) } as never;

  test('are refused, and the API gets only five digits of their hash', async () => {
    const requested: string[] = [];
    const api = createServer((request, response) => {
      requested.push(request.url ?? '');
      // SHA-1 of "password" is 5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8; a count of 0 is padding.
      response.end(request.url === '/range/5BAA6' ? '003D68EB55068C33ACE09247EE4C639306B:3\r\n1E4C9B93F3F0682250B6CF8331B7EE68FD8:9\r\n' : '0:0');
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => api.once('listening', resolve));
    const check = createBreachCheck(`http://127.0.0.1:${(api.address() as AddressInfo).port}`, log);
    await expect(check('password')).rejects.toMatchObject({ reason: 'VALIDATION_ERROR', details: [{ path: 'password' }] });
    await check('una taza de café');
    expect(requested).toEqual([expect.stringMatching(/^\/range\/5BAA6$/), expect.stringMatching(/^\/range\/[0-9A-F]{5}$/)]);
    api.close();
  });

  test('are accepted while the API is unavailable, which is logged', async () => {
    await createBreachCheck('http://127.0.0.1:1', log)('password');
    expect(warnings).toHaveLength(1);
  });

  test('are accepted without an API', async () => {
    await createBreachCheck(undefined, log)('password');
  });
});
