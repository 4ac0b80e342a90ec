// Which process makes a call: a token for one method of one service, valid for a minute, signed with a key that only the two processes have.
// It carries what a service says for itself; whom the call is made for is in the assertion, which the signature covers as well.
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

/** What the token is valid for. */
export type Target = { callee: string; method: string; assertion: string };

/** `<from>.<key id>.<base64url JSON>.<HMAC-SHA256>` */
export function signHop([key]: NamedKey[], { from, ...said }: Hop, target: Target, now: number): string {
  if (!key) throw new Error(`CALL_KEYS has no key for ${target.callee}`);
  const head = `${from}.${key.id}.${encodeJson({ ...said, expires: now + LIFETIME_MS })}`;
  return `${head}.${mac(key.key, covered(head, target)).toString('base64url')}`;
}

/** The hop and when it ends, or undefined when the token is malformed, forged, or was made for another call. */
export function verifyHop(token: string, keys: Map<string, NamedKey[]>, target: Target): (Hop & { expires: number }) | undefined {
  const [from = '', id = '', payload = '', signature = ''] = token.split('.');
  const key = keys.get(from)?.find((candidate) => candidate.id === id);
  if (!key || !isMac(key.key, covered(`${from}.${id}.${payload}`, target), signature)) return undefined;
  return { from, ...(decodeJson(payload) as Omit<Hop, 'from'> & { expires: number }) };
}

const covered = (head: string, { callee, method, assertion }: Target) => [PURPOSE, callee, method, assertion, head].join('\n');
