// The keys of calls between processes. All of them are derived from INTERNAL_KEYS, which no process needs itself: `npm run secrets` and the launcher
// derive the keys of each process.
import { z } from 'zod';
import { formatKeyRing, keyRing, type NamedKey } from '../config/config.ts';
import { deriveKey } from '../crypto/derive-key.ts';
import { publicBytes } from './assertion.ts';

/** `<process>:<id>:<base64>,…`: the keys that this process shares with each other process. The first key of a process signs; all of them verify. */
const callKeys = z.string().transform((text, context) => {
  const rings = new Map<string, string[]>();
  for (const entry of text.split(',')) {
    const [peer = '', ...key] = entry.trim().split(':');
    rings.set(peer, [...(rings.get(peer) ?? []), key.join(':')]);
  }
  const parsed = [...rings].map(([peer, keys]) => [peer, keyRing.safeParse(keys.join(','))] as const);
  const keys = new Map(parsed.flatMap(([peer, ring]) => (/^[a-z][\w-]*$/.test(peer) && ring.success ? [[peer, ring.data] as const] : [])));
  if (keys.size === rings.size) return keys;
  context.addIssue({ code: 'custom', message: 'must be process:id:base64 entries with 32 bytes, separated by commas' });
  return z.NEVER;
});

/** Settings of every process that calls others or is called by them. */
export const callSettings = {
  CALL_KEYS: callKeys,
  /** Set only during an upgrade from a release that knows no CALL_KEYS. */
  INTERNAL_KEYS: keyRing.optional(),
};

/** Settings of services, which verify the assertions of the gateway. */
export const assertionSettings = { ASSERTION_PUBLIC_KEYS: keyRing };
/** Settings of the gateway, which alone asserts on whose behalf calls are made. */
export const gatewayAssertionSettings = { ASSERTION_KEYS: keyRing };

/** CALL_KEYS of a process. */
export function deriveCallKeys(internal: NamedKey[], process: string, processes: string[]): string {
  const keysWith = (peer: string) => {
    const pair = [process, peer].sort().join(' ');
    return internal.map(({ id, key }) => ({ id: `${peer}:${id}`, key: deriveKey(key, `clinic calls ${pair}`) }));
  };
  return formatKeyRing(processes.filter((peer) => peer !== process).flatMap(keysWith));
}

/** ASSERTION_KEYS of the gateway and ASSERTION_PUBLIC_KEYS of the services. */
export function deriveAssertionKeys(internal: NamedKey[]): { privateKeys: string; publicKeys: string } {
  const seeds = internal.map(({ id, key }) => ({ id, key: deriveKey(key, 'clinic assertions') }));
  return { privateKeys: formatKeyRing(seeds), publicKeys: formatKeyRing(seeds.map(({ id, key }) => ({ id, key: publicBytes(key) }))) };
}

/** The settings with the keys of one process, as an environment. */
export function callKeysOf(internal: NamedKey[], process: string, processes: string[]): NodeJS.ProcessEnv {
  const { privateKeys, publicKeys } = deriveAssertionKeys(internal);
  const CALL_KEYS = deriveCallKeys(internal, process, processes);
  return process === 'gateway' ? { CALL_KEYS, ASSERTION_KEYS: privateKeys } : { CALL_KEYS, ASSERTION_PUBLIC_KEYS: publicKeys };
}
