// One JSON line per happening. Personal data and secrets are cut out here, whatever a caller passes.
import pino from 'pino';
import { traceFields } from './tracing.ts';

export type Log = pino.Logger;

const SECRET_FIELDS = [
  'password',
  'pin',
  'token',
  'access_token',
  'refresh_token',
  'authorization',
  'cookie',
  'dui',
  'phone',
  'email',
  'full_name',
  'patient_name',
  'patient_phone',
  'apiKey',
  'key',
  'code',
];

/** A logger that names its process and redacts the fields above at the top level and one below. */
export function createLog(name: string, level: string, to?: pino.DestinationStream): Log {
  const options: pino.LoggerOptions = {
    name,
    level,
    base: { name },
    formatters: { level: (label) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]), censor: '[redacted]' },
    serializers: { err: describeError },
    mixin: traceFields,
  };
  return to ? pino(options, to) : pino(options);
}

/** Name, reason code and stack only: a PostgreSQL error's detail and where hold row values. */
function describeError(error: Error & { code?: unknown }) {
  return {
    type: error.name,
    message: isDatabaseError(error) ? 'database error' : error.message,
    code: error.code,
    stack: error.stack?.split('\n').slice(1, 8).join('\n'),
  };
}

const isDatabaseError = (error: Error) => 'severity' in error && 'routine' in error;
