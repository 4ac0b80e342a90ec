// The outline of a tooth: five surfaces as seen by the dentist, and the roots. Shapes are those of the patient's upper right
// (vestibular up, mesial to the right); the other quadrants are mirror images.
import { isAnterior, isDeciduous, isUpper, type Surface } from '../rules/teeth.ts';
import { path, polygon } from './elements.ts';

export const HALF_HEIGHT = 20;
/** y of the neck, where roots begin, and of their tips. */
export const NECK = -23;
export const APEX = -60;
const OUTLINE = '#9AA5B1';

type Point = readonly [number, number];

/** Half the width of the crown. */
export function halfWidth(tooth: number): number {
  if (isAnterior(tooth)) return 17;
  return tooth % 10 >= 6 || isDeciduous(tooth) ? 22 : 19;
}

/** The polygon of a surface; the middle one is occlusal, or incisal on a front tooth. */
export function surfaceShape(tooth: number, surface: Surface): Point[] {
  const [w, h] = [halfWidth(tooth), HALF_HEIGHT];
  const [iw, ih] = isAnterior(tooth) ? [w - 7, 4] : [w - 11, 9];
  switch (surface) {
    case 'V':
      return [[-w, -h], [w, -h], [iw, -ih], [-iw, -ih]]; // biome-ignore format: one shape a line
    case 'M':
      return [[w, -h], [w, h], [iw, ih], [iw, -ih]]; // biome-ignore format: one shape a line
    case 'D':
      return [[-w, -h], [-w, h], [-iw, ih], [-iw, -ih]]; // biome-ignore format: one shape a line
    case 'P':
    case 'L':
      return [[-w, h], [w, h], [iw, ih], [-iw, ih]]; // biome-ignore format: one shape a line
    default:
      return [[-iw, -ih], [iw, -ih], [iw, ih], [-iw, ih]]; // biome-ignore format: one shape a line
  }
}

/** x of the middle of each root. */
export function rootsOf(tooth: number): number[] {
  if (isAnterior(tooth)) return [0];
  const place = tooth % 10;
  if (place >= 6 || isDeciduous(tooth)) return isUpper(tooth) ? [-13, 0, 13] : [-10, 10];
  return isUpper(tooth) && place === 4 ? [-7, 7] : [0];
}

export function drawRoots(tooth: number): string {
  const roots = rootsOf(tooth);
  const r = roots.length === 1 ? 9 : roots.length === 2 ? 7 : 6;
  return roots
    .map((x) => {
      const tip = x + Math.sign(x) * 2;
      const d = `M${x - r},${NECK} C${x - r},${NECK - 18} ${tip - 4},${APEX} ${tip},${APEX} C${tip + 4},${APEX} ${x + r},${NECK - 18} ${x + r},${NECK} Z`;
      return path(d, { fill: '#F7F4EC', stroke: OUTLINE, 'stroke-width': 1 });
    })
    .join('');
}

export function drawCrown(tooth: number, surfaces: readonly Surface[]): string {
  return surfaces
    .map((surface) => polygon(surfaceShape(tooth, surface), { fill: '#FFFFFF', stroke: OUTLINE, 'stroke-width': 1, 'stroke-linejoin': 'round' }))
    .join('');
}
