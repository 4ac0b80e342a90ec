// The response headers of deprecated routes.
import type { AddressInfo } from 'node:net';
import { fail } from '@clinic/lib/errors/errors.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { expect, test } from '@jest/globals';
import express from 'express';
import type { Deprecation } from '../http/deprecation.ts';
import { type Perform, serve } from './mount.ts';

const succeed: Perform = async () => ({ send: (_request, response, status) => void response.status(status).end() });
const refuse: Perform = async () => fail('NOT_FOUND');

async function headersOf(deprecated: Deprecation | undefined, perform: Perform) {
  const caller = { kind: 'anonymous', id: '', requestId: '', ip: '', role: '' } as const;
  const mount = { checkAccess: async () => caller, limits: { of: () => undefined }, log: createLog('test', 'silent') };
  const app = express();
  app.get('/old', serve({ path: '/old', access: 'public', rate: 'api', ...(deprecated && { deprecated }) } as never, mount as never, perform));
  const server = app.listen(0);
  try {
    const { headers } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/old`);
    return [headers.get('deprecation'), headers.get('sunset')];
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test('every response, including an error, names the day of the deprecation and the day on which the route ends', async () => {
  const deprecated = { since: '2026-12-01', ends: '2027-12-01' };
  const expected = ['@1796083200', 'Wed, 01 Dec 2027 00:00:00 GMT'];
  expect([await headersOf(deprecated, succeed), await headersOf(deprecated, refuse)]).toEqual([expected, expected]);
  expect(await headersOf({ since: '2026-12-01' }, succeed)).toEqual(['@1796083200', null]);
  expect(await headersOf(undefined, succeed)).toEqual([null, null]);
});

test('an invalid date throws at start', () => {
  expect(() => serve({ path: '/old', rate: 'api', deprecated: { since: 'soon' } } as never, { limits: { of: () => undefined } } as never, succeed)).toThrow(
    'soon is not a date',
  );
});
