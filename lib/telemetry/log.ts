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
];

/**
 * A logger that redacts SECRET_FIELDS at the top level and one level below. `code` is redacted only at the top level, where it may be a code that was
 * sent to a person; the code of an error is a SQLSTATE or an errno.
 */
export function createLog(name: string, level: string, to?: pino.DestinationStream): Log {
  const options: pino.LoggerOptions = {
    name,
    level,
    base: { name },
    formatters: { level: (label) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: ['code', ...SECRET_FIELDS.flatMap((field) => [field, `*.${field}`])], censor: '[redacted]' },
    serializers: { err: describeError },
    mixin: traceFields,
  };
  return pino(options, to ?? stdout());
}

let shared: pino.DestinationStream | undefined;

/** Writes all lines of one turn of the event loop with one system call, which takes longer than a line; warnings and errors immediately. */
function stdout(): pino.DestinationStream {
  if (shared) return shared;
  const out = pino.destination({ dest: 1, sync: true, minLength: 8_192 });
  let isScheduled = false;
  const flush = () => {
    isScheduled = false;
    out.flush();
  };
  process.on('exit', flush);
  const stream = {
    [pino.symbols.needsMetadataGsym]: true, // lets pino set lastLevel
    lastLevel: 0,
    write(line: string) {
      out.write(line);
      if (stream.lastLevel >= WARN) return out.flush();
      if (!isScheduled) setImmediate(flush);
      isScheduled = true;
    },
  };
  shared = stream;
  return shared;
}

const WARN = pino.levels.values.warn ?? 40;

type Described = { type: string; message: string; code?: unknown; stack?: string | undefined; cause?: Described };

/** The error with at most seven lines of its stack. */
function describeError(error: Error & { code?: unknown }): Described {
  return { ...summarise(error), stack: error.stack?.split('\n').slice(1, 8).join('\n') };
}

function summarise(error: Error & { code?: unknown; errors?: Error[] }): Described {
  const { code, cause } = error;
  // When a connection to a name with several addresses fails, Node's AggregateError has no message of its own.
  const message = error.message || (error.errors ?? []).map((one) => one.message).join('; ');
  return {
    type: error.name,
    message: isDatabaseError(error) ? describeDatabaseError(error) : message,
    ...(code !== undefined && { code }),
    ...(cause instanceof Error && { cause: summarise(cause) }),
  };
}

type DatabaseError = Error & { code: string; table?: string; constraint?: string };

const isDatabaseError = (error: Error): error is DatabaseError => 'severity' in error && 'routine' in error;

/** Messages of class 22 (data exception) may quote values of rows; those of the other classes name tables, columns and constraints. */
function describeDatabaseError({ code, message, table, constraint }: DatabaseError): string {
  const text = code.startsWith('22') ? 'data exception' : message;
  return [text, table && `table ${table}`, constraint && `constraint ${constraint}`].filter(Boolean).join(', ');
}
