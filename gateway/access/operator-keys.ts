// The operators' keys: those of the environment, and those of a file that is read again when it has changed, so that keys
// rotate without a restart.
import { hash, timingSafeEqual } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { fail } from '@clinic/lib/errors/errors.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';

export type OperatorKey = { name: string; key: string };

/** The keys of `name:key` pairs, separated by commas or on lines of their own; undefined when they are not in order. */
export function parseOperatorKeys(text: string): OperatorKey[] | undefined {
  const keys = text
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '' && !entry.startsWith('#'))
    .map((entry) => ({ name: entry.slice(0, entry.indexOf(':')), key: entry.slice(entry.indexOf(':') + 1) }));
  return keys.every(({ name, key }) => /^[\w-]{1,32}$/.test(name) && key.length >= 16) ? keys : undefined;
}

/** Name of the operator whose key this is. Throws INVALID_ADMIN_KEY. */
export type FindOperator = (given: string | string[] | undefined) => string;

/** A changed file holds from at most this long after. */
const LOOK_MS = 1_000;

export function createOperatorLookup(fixed: OperatorKey[], file: string | undefined, log: Log): FindOperator {
  const settled = fixed.map(digested);
  let filed: ReturnType<typeof digested>[] = [];
  let version = '';
  let lookedAt = Number.NEGATIVE_INFINITY;

  function look(path: string): void {
    if (performance.now() - lookedAt < LOOK_MS) return;
    lookedAt = performance.now();
    try {
      const { mtimeMs, ino, size } = statSync(path);
      const found = `${mtimeMs} ${ino} ${size}`;
      if (found === version) return;
      version = found;
      const keys = parseOperatorKeys(readFileSync(path, 'utf8'));
      if (!keys) throw new Error('not name:key pairs with keys of 16 characters or more');
      filed = keys.map(digested);
      log.info({ names: keys.map(({ name }) => name) }, 'operator keys read');
    } catch (error) {
      // A slip of the pen must not lock every operator out.
      log.error({ reason: (error as Error).message }, 'SUPERADMIN_KEYS_FILE cannot be read: the keys before it still hold');
    }
  }

  // Compared with every key in constant time, so that an answer's delay tells nothing about a key.
  return (given) => {
    if (file !== undefined) look(file);
    const wanted = digest(typeof given === 'string' ? given : '');
    let found: string | undefined;
    for (const { name, digest } of [...settled, ...filed]) if (timingSafeEqual(digest, wanted)) found = name;
    return found ?? fail('INVALID_ADMIN_KEY');
  };
}

const digest = (text: string) => hash('sha256', text, 'buffer');
const digested = ({ name, key }: OperatorKey) => ({ name, digest: digest(key) });
