// Short names of clinics for URLs. Registration uses the first candidate that no other clinic has (unique constraint).

const MAX_LENGTH = 60;

/** The names to try in order: without a suffix, then with a number, then with a random suffix. */
export function* slugCandidates(name: string, random: () => string): Generator<string> {
  const base = slugOf(name);
  yield base;
  for (let number = 2; number <= 5; number += 1) yield `${base}-${number}`;
  for (let attempt = 0; attempt < 5; attempt += 1) yield `${base}-${random()}`;
}

/** `Clínica Sonrisa & Cía.` is `clinica-sonrisa-cia`; a name without a Latin letter or digit is `clinic`. */
export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = plain.match(/[a-z0-9]+/g)?.join('-') ?? 'clinic';
  return words.slice(0, MAX_LENGTH).replace(/-$/, '');
}
