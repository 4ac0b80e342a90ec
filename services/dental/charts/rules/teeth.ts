// The rows, surfaces and spans of teeth, which are FDI numbers (lib/formats/teeth.ts).

/** Canonical surfaces: mesial, distal, occlusal or incisal, vestibular, lingual or palatal. */
export type Surface = 'M' | 'D' | 'O' | 'I' | 'V' | 'L' | 'P';
export type Dentition = 'adult' | 'child' | 'mixed';

const range = (quadrant: number, from: number, to: number) =>
  Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => quadrant * 10 + from + Math.sign(to - from) * index);

/** The rows of an odontogram from left to right: the patient's right side is on the left. */
export const ROWS = {
  upper: [...range(1, 8, 1), ...range(2, 1, 8)],
  upperDeciduous: [...range(5, 5, 1), ...range(6, 1, 5)],
  lowerDeciduous: [...range(8, 5, 1), ...range(7, 1, 5)],
  lower: [...range(4, 8, 1), ...range(3, 1, 8)],
} as const;

export const PERMANENT: readonly number[] = [...ROWS.upper, ...ROWS.lower];
export const DECIDUOUS: readonly number[] = [...ROWS.upperDeciduous, ...ROWS.lowerDeciduous];

const quadrantOf = (tooth: number) => Math.floor(tooth / 10);
export const isDeciduous = (tooth: number) => quadrantOf(tooth) >= 5;
export const isUpper = (tooth: number) => [1, 2, 5, 6].includes(quadrantOf(tooth));
/** Incisors and canines, which have an incisal edge instead of an occlusal surface. */
export const isAnterior = (tooth: number) => tooth % 10 <= 3;
/** Whether the mesial side is drawn on the right: true in the quadrants of the patient's right. */
export const mesialIsRight = (tooth: number) => [1, 4, 5, 8].includes(quadrantOf(tooth));

/** The five surfaces of a tooth. */
export const surfacesOf = (tooth: number): Surface[] => ['M', 'D', isAnterior(tooth) ? 'I' : 'O', 'V', isUpper(tooth) ? 'P' : 'L'];

// Buccal and facial are synonyms of vestibular. Lingual is also commonly used for the palatal side of upper teeth (below).
const SYNONYMS: Record<string, Surface> = { B: 'V', F: 'V' };

/** The canonical surface for a letter, in either case; undefined when the tooth has no such surface. */
export function surfaceOf(tooth: number, given: string): Surface | undefined {
  const letter = given.trim().toUpperCase();
  const canonical = SYNONYMS[letter] ?? (letter === 'L' && isUpper(tooth) ? 'P' : letter);
  return surfacesOf(tooth).find((surface) => surface === canonical);
}

/** All teeth from one to another, both included, in the order of the row; undefined unless both are in one row. */
export function span(first: number, last: number): number[] | undefined {
  for (const row of Object.values(ROWS)) {
    const [from, to] = [row.indexOf(first), row.indexOf(last)];
    if (from >= 0 && to >= 0) return row.slice(Math.min(from, to), Math.max(from, to) + 1);
  }
  return undefined;
}
