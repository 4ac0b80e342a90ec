// The format of invite codes: short enough to be read out on the phone, long enough (60 bits) not to be guessed.

// Crockford's base 32: without I, L, O and U.
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 12;

/** Twelve random bytes as XXXX-XXXX-XXXX. */
export const codeFrom = (bytes: Uint8Array): string => grouped([...bytes.subarray(0, LENGTH)].map((byte) => ALPHABET[byte % 32]).join(''));

/** Accepts lower case, spaces, dashes, and the letters O, I and L for digits. Undefined if the text is not a code. */
export function parseCode(typed: string): string | undefined {
  const plain = typed.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1');
  return plain.length === LENGTH && [...plain].every((letter) => ALPHABET.includes(letter)) ? grouped(plain) : undefined;
}

const grouped = (plain: string) => plain.replace(/(.{4})(?=.)/g, '$1-');
