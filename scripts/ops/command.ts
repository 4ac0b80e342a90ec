// The type of a command of `npm run ops`, and the context that each command receives.
import { hostname, userInfo } from 'node:os';
import type { ParseArgsConfig } from 'node:util';
import { type AuditEntry, audit } from '@clinic/lib/audit/audit.ts';
import { encryptionKeyRing, type NamedKey } from '@clinic/lib/config/config.ts';
import { serviceKeys } from '@clinic/lib/crypto/service-keys.ts';
import { asSystem, closeDb, type Db, openDb } from '@clinic/lib/db/db.ts';
import { databaseUrls } from '@clinic/lib/db/migrate.ts';
import { NO_CLINIC } from '@clinic/lib/formats/uuid.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { v7 as uuidv7 } from 'uuid';
import { dataFolder } from '../dev/launch/data-folder.ts';
import { ownerUrl, storedSetting } from './installation.ts';

/**
 * Prints a line on standard output. When nobody reads it any more, as after `| head`, the rest is dropped and the command continues, because it may
 * be changing data.
 */
export function openOutput(): (line: string) => void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  return (line) => console.log(line);
}

/** An incorrect command line or environment. Its message is printed without a stack trace. */
export class OpsFault extends Error {}

/** How long a command waits for a connection to a busy PostgreSQL. */
const CONNECT_MS = 60_000;
/** The time limit of a statement, which may read or change all rows of a large table. */
const STATEMENT_SECONDS = 300;

/** For a connection as the owner under this name, which may be idle for hours while files are copied. */
export const ownerConnection = (application_name: string) => ({ application_name, keepAlive: true, connectionTimeoutMillis: CONNECT_MS });

export type Options = NonNullable<ParseArgsConfig['options']>;
export type Arguments = { values: Record<string, string | boolean | undefined>; words: string[] };

export type Command = {
  /** Text of `--help`: arguments, effect, exit codes. */
  usage: string;
  options: Options;
  /** The largest number of arguments besides the options; 0 by default. */
  words?: number;
  /** Returns the exit code. */
  run(ops: Ops, args: Arguments): Promise<number>;
};

export type Ops = ReturnType<typeof openOps>;

/** The call context of an operator for RPC handlers that run in this process. */
export const callOf = ({ caller }: Ops): Call => ({ caller, idempotencyKey: undefined, deadline: Number.POSITIVE_INFINITY });

/** Throws unless the value of the setting is a URL. The message does not contain the value, which may have a password. */
export function requireUrl(setting: string, url: string): void {
  if (!URL.canParse(url)) throw new OpsFault(`${setting} must be a URL, such as postgres://owner:password@host:5432/clinic.`);
}

/** The name of the user of this process, or the number of one without a name, as in a container with a user of its own. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

/** `url` is the owner's URL of the installation; by default, that of the environment. */
export function openOps(operator: string | undefined, print: (line: string) => void, url = ownerUrl()) {
  if (!url) throw new OpsFault(`Set DATABASE_URL to the owner's URL, or start the installation in DATA_DIR, which is ${dataFolder()}.`);
  requireUrl('DATABASE_URL', url);
  const caller: Caller = { kind: 'operator', id: operator || systemUser(), requestId: uuidv7(), ip: hostname(), role: '' };
  const log = createLog('ops', 'error');
  const opened = new Map<string, Db>();
  /** Opens the database with a service's own roles. It is closed at the end of the command. */
  const open = (schema: string) => {
    const db = opened.get(schema) ?? openDb(databaseUrls(url, schema), { schema, max: 2, log, connectMs: CONNECT_MS, statementSeconds: STATEMENT_SECONDS });
    opened.set(schema, db);
    return db;
  };
  /** ENCRYPTION_KEYS. */
  const keyRing = () => {
    const ring = encryptionKeyRing.safeParse(storedSetting('ENCRYPTION_KEYS') ?? '');
    if (!ring.success) throw new OpsFault('ENCRYPTION_KEYS must be id:base64 pairs of 32 bytes, the newest key first.');
    return ring.data;
  };
  return {
    /** The operator, for the audit log. */
    caller,
    /** The owner's URL of the database. */
    url,
    print,
    open,
    keyRing,
    /** The encryption keys of a service. */
    keys(service: string): NamedKey[] {
      try {
        return serviceKeys(keyRing(), service);
      } catch (error) {
        throw new OpsFault((error as Error).message);
      }
    },
    /** Adds a row to platform's audit log, which has the operators' actions in all services. */
    record({ clinicId = NO_CLINIC, ...entry }: AuditEntry & { clinicId?: string }): Promise<void> {
      return asSystem(open('platform'), (tx) => audit(tx, clinicId, caller, entry));
    },
    async close() {
      for (const db of opened.values()) await closeDb(db);
    },
  };
}
