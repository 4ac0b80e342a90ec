// The code that proves the phone or the address of a person who books online. It is derived from the booking, so it is stored nowhere.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { currentKey } from '@clinic/lib/crypto/crypto.ts';
import { deriveKey } from '@clinic/lib/crypto/derive-key.ts';

/** 6 digits. */
export const bookingCode = (keys: NamedKey[], bookingId: string): string => codeOf(currentKey(keys), bookingId);

/** Whether a key of the ring has made the code. */
export const isBookingCode = (keys: NamedKey[], bookingId: string, code: string): boolean =>
  /^\d{6}$/.test(code) && keys.some((key) => timingSafeEqual(Buffer.from(code), Buffer.from(codeOf(key, bookingId))));

function codeOf({ key }: NamedKey, bookingId: string): string {
  const derived = deriveKey(key, 'clinic booking code');
  const number = createHmac('sha256', derived).update(bookingId).digest().readUIntBE(0, 6) % 1_000_000;
  return String(number).padStart(6, '0');
}
