// The caller of an RPC: created by the gateway after its access check, or by a service that acts for itself. Between processes it is sent as
// a short-lived token signed with INTERNAL_KEYS.
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { NamedKey } from '../config/config.ts';

export type Caller = {
  kind: 'anonymous' | 'user' | 'operator' | 'service';
  /** UUID of the user, name of the operator key, or name of the service; '' for anonymous. */
  id: string;
  requestId: string;
  ip: string;
  /** Present for users, and for a service that acts for one clinic. */
  clinic?: CallerClinic;
  /** UUID of the user's session, when the token names one. */
  sessionId?: string;
  /** admin, doctor or receptionist; '' unless the caller is a user. */
  role: string;
};

/** The clinic as the access check found it, so that services need not look it up. */
export type CallerClinic = {
  id: string;
  plan: string;
  /** IANA zone. */
  timezone: string;
  /** ISO 3166-1 alpha-2, for reading local phone numbers. */
  country: string;
  /** Active doctors that the plan allows; absent means unlimited. */
  doctorLimit?: number;
};

const LIFETIME_SECONDS = 60;

export function serviceCaller(name: string, requestId: string): Caller {
  return { kind: 'service', id: name, requestId, ip: '', role: '' };
}

/** `<key id>.<base64url JSON>.<HMAC-SHA256>`, valid for a minute. */
export function signCaller(caller: Caller, keys: NamedKey[], now: number): string {
  const [key] = keys;
  if (!key) throw new Error('INTERNAL_KEYS is empty');
  const body = `${key.id}.${Buffer.from(JSON.stringify({ ...caller, exp: Math.floor(now / 1000) + LIFETIME_SECONDS })).toString('base64url')}`;
  return `${body}.${mac(key.key, body).toString('base64url')}`;
}

/** The caller, or undefined when the token is malformed, forged or expired. */
export function verifyCaller(token: string, keys: NamedKey[], now: number): Caller | undefined {
  const [id = '', payload = '', signature = ''] = token.split('.');
  const key = keys.find((candidate) => candidate.id === id);
  if (!key) return undefined;
  const expected = mac(key.key, `${id}.${payload}`);
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const { exp, ...caller } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Caller & { exp: number };
  return exp * 1000 >= now ? caller : undefined;
}

// Key objects are cached: with plain bytes each HMAC costs four times as much.
const keyObjects = new WeakMap<Buffer, KeyObject>();

function mac(key: Buffer, body: string): Buffer {
  const object = keyObjects.get(key) ?? createSecretKey(key);
  keyObjects.set(key, object);
  return createHmac('sha256', object).update(body).digest();
}
