// What a check-in code carries: clinic and appointment, signed, and nothing about the patient. It has no end of its own,
// since it opens only on the day of the visit.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { NamedKey } from '@clinic/lib/config/config.ts';

const VERSION = Buffer.of(1);
const ID_BYTES = 16;
const MAC_BYTES = 16;
const LENGTH = VERSION.length + 2 * ID_BYTES + MAC_BYTES;

export type Visit = { clinicId: string; appointmentId: string };

/** 66 characters of base64url. */
export function checkInToken(keys: NamedKey[], { clinicId, appointmentId }: Visit): string {
  const [key] = keys;
  if (!key) throw new Error('the key ring is empty');
  const body = Buffer.concat([VERSION, toBytes(clinicId), toBytes(appointmentId)]);
  return Buffer.concat([body, mac(key, body)]).toString('base64url');
}

/** Undefined for what no key of the ring has signed. */
export function readCheckInToken(keys: NamedKey[], token: string): Visit | undefined {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== LENGTH || bytes.toString('base64url') !== token) return undefined;
  const [body, given] = [bytes.subarray(0, LENGTH - MAC_BYTES), bytes.subarray(LENGTH - MAC_BYTES)];
  if (!body.subarray(0, VERSION.length).equals(VERSION)) return undefined;
  if (!keys.some((key) => timingSafeEqual(given, mac(key, body)))) return undefined;
  return { clinicId: toUuid(body.subarray(1, 1 + ID_BYTES)), appointmentId: toUuid(body.subarray(1 + ID_BYTES)) };
}

const signingKeys = new WeakMap<Buffer, Buffer>();

/** A key for this alone: the ring's own seals personal data. */
function mac({ key }: NamedKey, body: Buffer): Buffer {
  const derived = signingKeys.get(key) ?? Buffer.from(hkdfSync('sha256', key, '', 'clinic check-in', 32));
  signingKeys.set(key, derived);
  return createHmac('sha256', derived).update(body).digest().subarray(0, MAC_BYTES);
}

const toBytes = (uuid: string) => Buffer.from(uuid.replaceAll('-', ''), 'hex');
const toUuid = (bytes: Buffer) => bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
