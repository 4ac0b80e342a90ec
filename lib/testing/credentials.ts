// Credentials of processes in tests, with keys derived as in an installation.
import { keyRing, type NamedKey } from '../config/config.ts';
import { createAssertionSigner, createAssertionVerifier } from '../rpc/assertion.ts';
import { callKeysOf, callSettings } from '../rpc/call-keys.ts';
import type { Credentials } from '../rpc/credentials.ts';
import { testKeys } from './settings.ts';

export const PROCESSES = ['gateway', 'identity', 'scheduling', 'dental', 'billing', 'messaging', 'platform', 'testing'];

/** The credentials of the process `name`; `internal` are the keys of the installation. */
export function testCredentials(name: string, internal: NamedKey[] = keyRing.parse(testKeys)): Credentials {
  const { CALL_KEYS = '', ASSERTION_KEYS, ASSERTION_PUBLIC_KEYS } = callKeysOf(internal, name, PROCESSES);
  return {
    name,
    callKeys: callSettings.CALL_KEYS.parse(CALL_KEYS),
    ...(ASSERTION_KEYS && { sign: createAssertionSigner(keyRing.parse(ASSERTION_KEYS)) }),
    ...(ASSERTION_PUBLIC_KEYS && { verify: createAssertionVerifier(keyRing.parse(ASSERTION_PUBLIC_KEYS)) }),
  };
}
