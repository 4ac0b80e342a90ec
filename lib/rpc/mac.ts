// HMAC-SHA256 of tokens. KeyObjects are cached, because an HMAC takes four times as long with plain bytes.
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';

const keyObjects = new WeakMap<Buffer, KeyObject>();

export function mac(key: Buffer, text: string): Buffer {
  const object = keyObjects.get(key) ?? createSecretKey(key);
  keyObjects.set(key, object);
  return createHmac('sha256', object).update(text).digest();
}

/** Whether `signature` is the HMAC of the text in base64url. */
export function isMac(key: Buffer, text: string, signature: string): boolean {
  const [expected, given] = [mac(key, text), Buffer.from(signature, 'base64url')];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

export const encodeJson = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Only for text whose signature has been checked. */
export const decodeJson = (text: string): unknown => JSON.parse(Buffer.from(text, 'base64url').toString());
