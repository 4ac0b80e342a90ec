// The format of a PIN.

/** Wrong PINs between two locks. */
export const PINS_PER_LOCK = 5;
/** The lock of which the user is notified. The earlier ones are usually caused by the user's own mistakes. */
export const NOTIFIED_LOCK = 3;

/** What is wrong with a new PIN; undefined if it is valid. */
export function pinFault(pin: string, role: string): string | undefined {
  const min = role === 'admin' ? 6 : 4;
  if (!/^\d+$/.test(pin) || pin.length < min || pin.length > 8) return `must be ${min} to 8 digits`;
  if (/^(\d\d?)\1+$/.test(pin)) return 'must not repeat one or two digits';
  if ('01234567890'.includes(pin) || '09876543210'.includes(pin)) return 'must not be a sequence of digits';
  return undefined;
}
