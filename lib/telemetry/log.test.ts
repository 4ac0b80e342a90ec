import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { createLog } from './log.ts';

function logged(fields: object): Record<string, unknown> {
  let line = '';
  const write = (text: string) => {
    line = text;
  };
  createLog('test', 'info', { write }).warn(fields, 'it failed');
  return JSON.parse(line);
}

const error = (message: string, fields: object = {}) => Object.assign(new Error(message), fields);
const databaseError = (code: string, message: string, fields: object = {}) =>
  error(message, { code, severity: 'ERROR', routine: 'x', detail: 'Key (phone)=(+50371234567) exists.', ...fields });

test.each([
  [
    'the address of an unavailable server',
    error('connect ECONNREFUSED 127.0.0.1:5432', { code: 'ECONNREFUSED' }),
    'ECONNREFUSED',
    'connect ECONNREFUSED 127.0.0.1:5432',
  ],
  [
    'a full disk',
    databaseError('53100', 'could not extend file "base/1": No space left on device'),
    '53100',
    'could not extend file "base/1": No space left on device',
  ],
  [
    'the constraint',
    databaseError('23505', 'duplicate key value violates unique constraint "patients_phone"', { table: 'patients', constraint: 'patients_phone' }),
    '23505',
    'duplicate key value violates unique constraint "patients_phone", table patients, constraint patients_phone',
  ],
  ['no value of a row', databaseError('22P02', 'invalid input syntax for type uuid: "Ana +50371234567"'), '22P02', 'data exception'],
  [
    'each address of a name',
    Object.assign(new AggregateError([error('connect ECONNREFUSED ::1:25'), error('connect ECONNREFUSED 127.0.0.1:25')]), { code: 'ECONNREFUSED' }),
    'ECONNREFUSED',
    'connect ECONNREFUSED ::1:25; connect ECONNREFUSED 127.0.0.1:25',
  ],
])('an error is logged with its code and %s', (_, err, code, message) => {
  const line = logged({ err });
  expect(line.err).toMatchObject({ code, message });
  expect(JSON.stringify(line)).not.toContain('+50371234567');
});

test('an error is logged with its cause', () => {
  const cause = error('14 UNAVAILABLE: connect ECONNREFUSED 127.0.0.1:7000', { code: 14 });
  expect(logged({ err: new Error('identity is unavailable', { cause }) }).err).toMatchObject({ cause: { code: 14, message: cause.message } });
});

test('codes that are sent to people are not logged', () => {
  expect(logged({ code: '123456', user: { pin: '7391' } })).toMatchObject({
    code: '[redacted]',
    user: { pin: '[redacted]' },
  });
});

test.each(['process.exit(1)', "throw new Error('it is not caught')", "log.warn('last'); process.kill(process.pid, 'SIGKILL')"])(
  'all lines are written: %s',
  (end) => {
    const program = `import { createLog } from '${import.meta.dirname}/log.ts';
    const log = createLog('test', 'info');
    log.info('first');
    setImmediate(() => {
      for (let line = 0; line < 100; line++) log.info({ long: 'x'.repeat(1000) }, 'one of many');
      ${end};
    });`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', program], { encoding: 'utf8' });
    const lines = stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).msg).slice(0, 101)).toEqual(['first', ...Array(100).fill('one of many')]);
    expect(lines).toHaveLength(end.includes('last') ? 102 : 101);
  },
);
