// The shapes of the dashboard page. The page is laid out once and written as SVG (svg.ts) and as PDF (pdf.ts), so that both show the
// same.

type Weight = 'normal' | 'bold';
type Anchor = 'start' | 'middle' | 'end';

/** Positions and sizes in points from the top left; the y of a text is its baseline. */
export type Shape =
  | { kind: 'box'; x: number; y: number; width: number; height: number; fill?: string; stroke?: string; radius?: number; hint?: string }
  | { kind: 'line'; points: [number, number][]; stroke: string; width: number }
  | { kind: 'area'; points: [number, number][]; fill: string }
  | { kind: 'text'; x: number; y: number; text: string; size: number; fill: string; weight: Weight; anchor: Anchor };

type Style = { fill?: string; stroke?: string; radius?: number; hint?: string };

export const box = (x: number, y: number, width: number, height: number, style: Style): Shape => ({ kind: 'box', x, y, width, height, ...style });
export const line = (points: [number, number][], stroke: string, width: number): Shape => ({ kind: 'line', points, stroke, width });
/** A straight line from one point to another. */
export const segment = (from: [number, number], to: [number, number], stroke: string, width: number): Shape => line([from, to], stroke, width);
export const area = (points: [number, number][], fill: string): Shape => ({ kind: 'area', points, fill });

type Letters = { size?: number; fill?: string; weight?: Weight; anchor?: Anchor };

export const write = (x: number, y: number, text: string, { size = 8, fill = '#1f2933', weight = 'normal', anchor = 'start' }: Letters = {}): Shape => ({
  kind: 'text',
  x,
  y,
  text,
  size,
  fill,
  weight,
  anchor,
});

const NARROW = /[ijlI.,:;'|!()[\]ftr]/;
const WIDE = /[mwMWÑ%@]/;
const CAPITAL = /[A-ZÁÉÍÓÚ&]/;

/** The estimated width of a text, in points. */
export function widthOf(text: string, size: number, weight: Weight = 'normal'): number {
  let ems = 0;
  for (const letter of text) ems += NARROW.test(letter) ? 0.29 : WIDE.test(letter) ? 0.85 : CAPITAL.test(letter) ? 0.68 : letter === ' ' ? 0.28 : 0.545;
  return ems * size * (weight === 'bold' ? 1.06 : 1);
}

/** The text, cut with an ellipsis to a width. */
export function fit(text: string, width: number, size: number, weight: Weight = 'normal'): string {
  if (widthOf(text, size, weight) <= width) return text;
  let cut = text;
  while (cut.length > 1 && widthOf(`${cut}…`, size, weight) > width) cut = cut.slice(0, -1);
  return `${cut.trimEnd()}…`;
}

/** The text on at most `most` lines of a width, broken between words. Only a last line that is too long is cut. */
export function wrap(text: string, width: number, size: number, most: number): string[] {
  if (most === 1 || widthOf(text, size) <= width) return [fit(text, width, size)];
  const words = text.split(' ');
  let count = words.length - 1;
  while (count > 1 && widthOf(words.slice(0, count).join(' '), size) > width) count -= 1;
  const [line, remaining] = [words.slice(0, count).join(' '), words.slice(count).join(' ')];
  return remaining === '' ? [fit(line, width, size)] : [fit(line, width, size), ...wrap(remaining, width, size, most - 1)];
}
