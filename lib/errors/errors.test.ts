import { expect, test } from '@jest/globals';
import { toServiceError, UNREACHABLE_CODES } from './errors.ts';

test.each([
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Client has encountered a connection error and is not queryable',
  'timeout exceeded when trying to connect',
])('a broken connection is UNAVAILABLE: %s', (message) => {
  expect(toServiceError(new Error(message), {}).reason).toBe('UNAVAILABLE');
});

test.each(['55P03', '25P03', '25P04', '57P01', '08006', '53300', 'ETIMEDOUT', ...UNREACHABLE_CODES])(
  'a timeout, a closed connection or a lost route is UNAVAILABLE: %s',
  (code) => {
    expect(toServiceError(Object.assign(new Error('terminating connection'), { code }), {}).reason).toBe('UNAVAILABLE');
  },
);

test('a programming error is INTERNAL', () => {
  for (const error of [new Error('x is not a function'), new TypeError('Connection'), {}]) expect(toServiceError(error, {}).reason).toBe('INTERNAL');
});
