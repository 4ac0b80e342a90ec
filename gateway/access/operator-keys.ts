// Operator keys from the environment and from a file. The file is read again when it changes, so that keys rotate without a restart.
import { hash, timingSafeEqual } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { fail } from '@clinic/lib/errors/errors.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';

type OperatorKey = { name: string; key: string };

/** Keys from `name:key` pairs, separated by commas or newlines; lines that begin with # are ignored. Undefined when a pair is malformed. */
export function parseOperatorKeys(text: string): OperatorKey[] | undefined {
  const keys = text
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '' && !entry.startsWith('#'))
    .map((entry) => ({ name: entry.slice(0, entry.indexOf(':')), key: entry.slice(entry.indexOf(':') + 1) }));
  return keys.every(({ name, key }) => /^[\w-]{1,32}$/.test(name) && key.length >= 16) ? keys : undefined;
}

/** The name of the operator with the key in an X-Admin-Key header. Throws INVALID_ADMIN_KEY. */
export type FindOperator = (header: string | string[] | undefined) => string;

/** A changed file takes effect within this time. */
const CHECK_INTERVAL_MS = 1_000;

export function createOperatorLookup(fixed: OperatorKey[], file: string | undefined, log: Log): FindOperator {
  const fromSettings = fixed.map(withDigest);
  let fromFile: ReturnType<typeof withDigest>[] = [];
  let version = '';
  let checkedAt = Number.NEGATIVE_INFINITY;

  function reload(path: string): void {
    if (performance.now() - checkedAt < CHECK_INTERVAL_MS) return;
    checkedAt = performance.now();
    try {
      const { mtimeMs, ino, size } = statSync(path);
      const found = `${mtimeMs} ${ino} ${size}`;
      if (found === version) return;
      version = found;
      const keys = parseOperatorKeys(readFileSync(path, 'utf8'));
      if (!keys) throw new Error('it must contain name:key pairs with keys of 16 characters or more');
      fromFile = keys.map(withDigest);
      log.info({ names: keys.map(({ name }) => name) }, 'operator keys loaded from SUPERADMIN_KEYS_FILE');
    } catch (error) {
      // A typing error in the file must not lock all operators out.
      log.error({ reason: (error as Error).message }, 'SUPERADMIN_KEYS_FILE cannot be used; the operator keys loaded before remain valid');
    }
  }

  // Compares with every key in constant time, so that the response time reveals nothing about a key.
  return (header) => {
    if (file !== undefined) reload(file);
    const wanted = digestOf(typeof header === 'string' ? header : '');
    let found: string | undefined;
    for (const { name, digest } of [...fromSettings, ...fromFile]) if (timingSafeEqual(digest, wanted)) found = name;
    return found ?? fail('INVALID_ADMIN_KEY');
  };
}

const digestOf = (text: string) => hash('sha256', text, 'buffer');
const withDigest = ({ name, key }: OperatorKey) => ({ name, digest: digestOf(key) });
