// Logs as JSON lines. Fields with personal data or secrets are redacted.
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

/** A logger that redacts SECRET_FIELDS at the top level and one level below. */
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

/** Name, message, code and stack. Errors of PostgreSQL are logged without their message and detail, which may contain values of rows. */
function describeError(error: Error & { code?: unknown }) {
  return {
    type: error.name,
    message: isDatabaseError(error) ? 'database error' : error.message,
    code: error.code,
    stack: error.stack?.split('\n').slice(1, 8).join('\n'),
  };
}

const isDatabaseError = (error: Error) => 'severity' in error && 'routine' in error;
