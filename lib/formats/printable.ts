// Text for PDFs in the fonts that every reader has, which know no more letters than WinAnsi.

// What WinAnsi, the encoding of the standard fonts, has beyond Latin-1.
const EXTRA = new Set('€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ');

// Letters whose stroke is no mark that could be taken off.
const STROKED = new Map([...'ŁłĐđĦħŦŧı'].map((letter, index) => [letter, [...'LlDdHhTti'][index] ?? '?']));

/** The text in letters that the fonts have: others lose their marks; what is no letter, such as an emoji, is left out. */
export function printable(text: string): string {
  return [...text.normalize('NFC').replaceAll(/\s+/g, ' ')].map((letter) => (has(letter) ? letter : plain(letter))).join('');
}

function plain(letter: string): string {
  const stripped = letter.normalize('NFKD').replaceAll(/\p{M}/gu, '');
  if (stripped !== '' && [...stripped].every(has)) return stripped;
  return STROKED.get(letter) ?? (/[\p{L}\p{N}]/u.test(letter) ? '?' : '');
}

function has(letter: string): boolean {
  const code = letter.codePointAt(0) ?? 0;
  return (code >= 0x20 && code <= 0x7e) || (code >= 0xa1 && code <= 0xff) || EXTRA.has(letter);
}
