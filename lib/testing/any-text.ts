import fc from 'fast-check';

/** Any character. The unit `binary` of fast-check has the same ones, but first makes a table of all of them, which takes 0.7 seconds. */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff })
  .map((code) => String.fromCodePoint(code))
  .filter((character) => character.isWellFormed());

export const anyText = fc.string({ unit: anyCharacter });
