// The caller token of the previous release: one token for all calls, signed with INTERNAL_KEYS, which every process had. It is sent and accepted
// besides the current tokens while INTERNAL_KEYS is set, so that processes of both releases work together during an upgrade
// (docs/decisions/tls.md).
import type { NamedKey } from '../config/config.ts';
import type { Caller } from './caller.ts';
import { decodeJson, encodeJson, isMac, mac } from './mac.ts';

const LIFETIME_SECONDS = 60;

export function signPreviousToken(caller: Caller, [key]: NamedKey[], now: number): string {
  if (!key) throw new Error('INTERNAL_KEYS is empty');
  const body = `${key.id}.${encodeJson({ ...caller, exp: Math.floor(now / 1000) + LIFETIME_SECONDS })}`;
  return `${body}.${mac(key.key, body).toString('base64url')}`;
}

/** The caller, or undefined when the token is malformed, forged or expired. */
export function verifyPreviousToken(token: string, keys: NamedKey[], now: number): Caller | undefined {
  const [id = '', payload = '', signature = ''] = token.split('.');
  const key = keys.find((candidate) => candidate.id === id);
  if (!key || !isMac(key.key, `${id}.${payload}`, signature)) return undefined;
  const { exp, ...caller } = decodeJson(payload) as Caller & { exp: number };
  return exp * 1000 >= now ? caller : undefined;
}
