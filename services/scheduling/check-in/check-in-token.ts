// The token of a check-in code: clinic and appointment, signed, and nothing about the patient. It does not expire, since check-in is
// possible on the day of the appointment only.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { NamedKey } from '@clinic/lib/config/config.ts';

const VERSION = Buffer.of(1);
const ID_BYTES = 16;
const MAC_BYTES = 16;
const LENGTH = VERSION.length + 2 * ID_BYTES + MAC_BYTES;

export type CheckIn = { clinicId: string; appointmentId: string };

/** 66 characters of base64url. */
export function checkInToken(keys: NamedKey[], { clinicId, appointmentId }: CheckIn): string {
  const [key] = keys;
  if (!key) throw new Error('the key ring is empty');
  const body = Buffer.concat([VERSION, toBytes(clinicId), toBytes(appointmentId)]);
  return Buffer.concat([body, mac(key, body)]).toString('base64url');
}

/** Undefined unless a key of the ring has signed the token. */
export function parseCheckInToken(keys: NamedKey[], token: string): CheckIn | undefined {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== LENGTH || bytes.toString('base64url') !== token) return undefined;
  const [body, given] = [bytes.subarray(0, LENGTH - MAC_BYTES), bytes.subarray(LENGTH - MAC_BYTES)];
  if (!body.subarray(0, VERSION.length).equals(VERSION)) return undefined;
  if (!keys.some((key) => timingSafeEqual(given, mac(key, body)))) return undefined;
  return { clinicId: toUuid(body.subarray(1, 1 + ID_BYTES)), appointmentId: toUuid(body.subarray(1 + ID_BYTES)) };
}

const signingKeys = new WeakMap<Buffer, Buffer>();

/** Signs with a derived key, since the keys of the ring encrypt personal data. */
function mac({ key }: NamedKey, body: Buffer): Buffer {
  const derived = signingKeys.get(key) ?? Buffer.from(hkdfSync('sha256', key, '', 'clinic check-in', 32));
  signingKeys.set(key, derived);
  return createHmac('sha256', derived).update(body).digest().subarray(0, MAC_BYTES);
}

const toBytes = (uuid: string) => Buffer.from(uuid.replaceAll('-', ''), 'hex');
const toUuid = (bytes: Buffer) => bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
