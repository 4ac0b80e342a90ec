// A misspelled setting is reported; variables of others are not.
import { expect, test } from '@jest/globals';
import { hasTypingError, misspelledSettings } from './misspelled.ts';

test('a variable with one typing error is reported with the setting that was meant', () => {
  const names = ['RATE_LIMIT_AUTH', 'ENCRYPTION_KEYS', 'DATABASE_POOL', 'PORT'];
  const env = {
    RATE_LIMT_AUTH: '5/60', // left out
    RATE_LIMMIT_AUTH: '5/60', // added
    RATE_LIMIT_OUTH: '5/60', // replaced
    RATE_LIIMT_AUTH: '5/60', // exchanged
    ENCRYPTION_KEY_FILE: '/run/secrets/keys',
    ...{ RATE_LIMIT_AUTH: '10/60', ENCRYPTION_KEYS_FILE: '/run/secrets/encryption_keys', RATE_LIMIT_AUT: '' },
    ...{ DATABASE_PORT: 'tcp://10.0.0.1:5432', DATABASE_SERVICE_HOST: '10.0.0.1', PORTS: '80', PATH: '/bin', HOSTNAME: 'gateway-0' },
  };
  const meant = 'is not a setting and has no effect: did you mean';
  expect(misspelledSettings(names, env)).toEqual([
    `RATE_LIMT_AUTH ${meant} RATE_LIMIT_AUTH?`,
    `RATE_LIMMIT_AUTH ${meant} RATE_LIMIT_AUTH?`,
    `RATE_LIMIT_OUTH ${meant} RATE_LIMIT_AUTH?`,
    `RATE_LIIMT_AUTH ${meant} RATE_LIMIT_AUTH?`,
    `ENCRYPTION_KEY_FILE ${meant} ENCRYPTION_KEYS_FILE?`,
  ]);
});

test('two errors, or none, are not one', () => {
  expect([hasTypingError('LOG_LEVEL', 'LOG_LEVEL'), hasTypingError('LG_LEVL', 'LOG_LEVEL'), hasTypingError('LGO_LEVLE', 'LOG_LEVEL')]).toEqual([
    false,
    false,
    false,
  ]);
});
