// Short names for URLs. Which of the candidates is free, the unique constraint decides.

const LONGEST = 60;

/** The names to try in order: the plain one, then numbered ones, then ones that nobody else will try. */
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
  return words.slice(0, LONGEST).replace(/-$/, '');
}
