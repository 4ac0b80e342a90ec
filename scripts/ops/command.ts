// The type of a command of `npm run ops`, and what each command is given.
import { hostname, userInfo } from 'node:os';
import type { ParseArgsConfig } from 'node:util';
import { type AuditEntry, audit } from '@clinic/lib/audit/audit.ts';
import { encryptionKeyRing, type NamedKey } from '@clinic/lib/config/config.ts';
import { serviceKeys } from '@clinic/lib/crypto/service-keys.ts';
import { asSystem, closeDb, type Db, openDb } from '@clinic/lib/db/db.ts';
import { databaseUrls } from '@clinic/lib/db/migrate.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { v7 as uuidv7 } from 'uuid';
import { ownerUrl, storedSetting } from './installation.ts';

/** A wrong command line or environment; its message is shown without a stack. */
export class OpsFault extends Error {}

export type Options = NonNullable<ParseArgsConfig['options']>;
export type Given = { values: Record<string, string | boolean | undefined>; words: string[] };

export type Command = {
  /** Text of `--help`: arguments, effect, exit codes. */
  usage: string;
  options: Options;
  /** How many words it takes besides the options; none by default. */
  words?: number;
  /** Returns the exit code. */
  run(ops: Ops, given: Given): Promise<number>;
};

export type Ops = ReturnType<typeof openOps>;

/** The call context of an operator who executes RPC handlers in this process. */
export const callOf = ({ caller }: Ops): Call => ({ caller, idempotencyKey: undefined, deadline: Number.POSITIVE_INFINITY });

const NO_CLINIC = '00000000-0000-0000-0000-000000000000';

/** `url`: of an installation other than that of the environment. */
export function openOps(operator: string | undefined, say: (line: string) => void, url = ownerUrl()) {
  if (!url) throw new OpsFault('Set DATABASE_URL to the URL of the owner, or start the installation of DATA_DIR.');
  const caller: Caller = { kind: 'operator', id: operator || userInfo().username, requestId: uuidv7(), ip: hostname(), role: '' };
  const log = createLog('ops', 'error');
  const opened = new Map<string, Db>();
  /** A service's database as its own role; closed at the end of the command. */
  const open = (schema: string) => {
    const db = opened.get(schema) ?? openDb(databaseUrls(url, schema), { schema, max: 2, log, connectMs: 60_000 });
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
    /** Who does this, for the audit log. */
    caller,
    /** The owner's URL of the database. */
    url,
    say,
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
    /** A line in platform's log, where operators' actions in all services are listed. */
    record({ clinicId = NO_CLINIC, ...entry }: AuditEntry & { clinicId?: string }): Promise<void> {
      return asSystem(open('platform'), (tx) => audit(tx, clinicId, caller, entry));
    },
    async close() {
      for (const db of opened.values()) await closeDb(db);
    },
  };
}
