// The hop token shows which process makes a call: it is for one method of one service, valid for a minute, and signed with a key that only these two
// processes have. It also names the clinic for which a service acts by itself. The caller on whose behalf it calls is in the assertion, which
// the signature covers too.
import type { NamedKey } from '../config/config.ts';
import type { CallerClinic } from './caller.ts';
import { decodeJson, encodeJson, isMac, mac } from './mac.ts';

export const LIFETIME_MS = 60_000;
const PURPOSE = 'clinic hop 1';

export type Hop = {
  /** Name of the calling process. */
  from: string;
  requestId: string;
  /** The clinic for which a service acts without a user. */
  clinic?: CallerClinic;
};

/** The call for which the token is valid. */
export type Target = { callee: string; method: string; assertion: string };

/** `<from>.<key id>.<base64url JSON>.<HMAC-SHA256>` */
export function signHop([key]: NamedKey[], { from, ...claims }: Hop, target: Target, now: number): string {
  if (!key) throw new Error(`CALL_KEYS has no key for ${target.callee}`);
  const head = `${from}.${key.id}.${encodeJson({ ...claims, expires: now + LIFETIME_MS })}`;
  return `${head}.${mac(key.key, covered(head, target)).toString('base64url')}`;
}

/** The hop and when it expires, in milliseconds since 1970; undefined when the token is malformed, forged, or was created for another call. */
export function verifyHop(token: string, keys: Map<string, NamedKey[]>, target: Target): (Hop & { expires: number }) | undefined {
  const [from = '', id = '', payload = '', signature = ''] = token.split('.');
  const key = keys.get(from)?.find((candidate) => candidate.id === id);
  if (!key || !isMac(key.key, covered(`${from}.${id}.${payload}`, target), signature)) return undefined;
  return { from, ...(decodeJson(payload) as Omit<Hop, 'from'> & { expires: number }) };
}

const covered = (head: string, { callee, method, assertion }: Target) => [PURPOSE, callee, method, assertion, head].join('\n');
