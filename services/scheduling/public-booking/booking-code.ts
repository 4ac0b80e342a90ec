// The code that proves the phone or the address of a person who books online. It is derived from the booking, so it is stored nowhere.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { NamedKey } from '@clinic/lib/config/config.ts';

/** 6 digits. */
export function bookingCode(keys: NamedKey[], bookingId: string): string {
  const [key] = keys;
  if (!key) throw new Error('the key ring is empty');
  return codeOf(key, bookingId);
}

/** Whether a key of the ring has made the code. */
export const isBookingCode = (keys: NamedKey[], bookingId: string, code: string): boolean =>
  /^\d{6}$/.test(code) && keys.some((key) => timingSafeEqual(Buffer.from(code), Buffer.from(codeOf(key, bookingId))));

function codeOf({ key }: NamedKey, bookingId: string): string {
  const derived = Buffer.from(hkdfSync('sha256', key, '', 'clinic booking code', 32));
  const number = createHmac('sha256', derived).update(bookingId).digest().readUIntBE(0, 6) % 1_000_000;
  return String(number).padStart(6, '0');
}
