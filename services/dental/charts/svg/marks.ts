// The symbols of findings on a tooth, in the coordinates of tooth-shape.ts.
import type { ToothFinding } from '../rules/chart.ts';
import { isGone } from '../rules/chart.ts';
import { surfacesOf } from '../rules/teeth.ts';
import { COLOUR, fillOf, TEXTURE } from './colours.ts';
import { group, line, path, polygon, tag } from './elements.ts';
import { APEX, HALF_HEIGHT, halfWidth, NECK, rootsOf, surfaceShape } from './tooth-shape.ts';

const H = HALF_HEIGHT;

/** Abbreviations written beside the tooth, by code, for findings without a symbol. */
export const ABBREVIATIONS: Record<string, string> = {
  abscess: 'Abs',
  pulpitis: 'Pul',
  root_remnant: 'RR',
  defective_filling: 'OD',
  mobility: 'Mov',
  calculus: 'Cál',
  recession: 'Rec',
  wear: 'Des',
  veneer: 'Car',
  rotated: 'Gir',
  diastema: 'Dia',
  supernumerary: 'Sup',
  inlay: 'Inc',
};

/** The symbol of a finding, or '' when it has none. */
export function drawMark(one: ToothFinding): string {
  const { tooth, finding } = one;
  const stroke = { stroke: COLOUR[one.status], 'stroke-width': 2.6, 'stroke-linecap': 'round', fill: 'none' };
  if (finding in TEXTURE) return drawSurfaces(one);
  if (isGone(one)) return cross(tooth, { ...stroke, 'stroke-width': 3 });
  switch (finding) {
    case 'missing':
      return cross(tooth, stroke);
    case 'extraction_indicated':
      return cross(tooth, { ...stroke, 'stroke-dasharray': '5 4.5' });
    case 'fracture':
      return drawFracture(one, stroke);
    case 'crown':
      return tag('ellipse', { cx: 0, cy: 0, rx: halfWidth(tooth) + 4.5, ry: H + 4.5, ...stroke, fill: COLOUR[one.status], 'fill-opacity': 0.1 });
    case 'root_canal':
      return rootsOf(tooth)
        .map((x) => line(x, NECK + 8, x * 1.12, APEX + 8, { ...stroke, 'stroke-width': 3 }))
        .join('');
    case 'pulpotomy':
      return rootsOf(tooth)
        .map((x) => line(x, NECK + 8, x, NECK - 10, { ...stroke, 'stroke-width': 3 }))
        .join('');
    case 'post':
      return path(`M-5,${NECK + 4} L5,${NECK + 4} L1.6,${NECK - 22} L-1.6,${NECK - 22} Z`, { ...stroke, fill: COLOUR[one.status], 'stroke-width': 1 });
    case 'implant':
      return drawImplant(COLOUR[one.status]);
    case 'impacted':
      return tag('ellipse', { cx: 0, cy: -18, rx: 25.5, ry: 46, ...stroke, 'stroke-width': 2.2 });
    case 'unerupted':
      return tag('ellipse', { cx: 0, cy: -18, rx: 25.5, ry: 46, ...stroke, 'stroke-width': 1.8, 'stroke-dasharray': '4 4' });
    case 'erupting':
      return path(`M0,${APEX + 4} V${NECK} m-5,-7 l5,7 l5,-7`, stroke);
    default:
      return '';
  }
}

function drawSurfaces({ tooth, finding, surfaces, status }: ToothFinding): string {
  const fill = fillOf(TEXTURE[finding] ?? 'solid', status);
  return (surfaces.length > 0 ? surfaces : surfacesOf(tooth))
    .map((surface) => polygon(surfaceShape(tooth, surface), { fill, stroke: COLOUR[status], 'stroke-width': 1.4, 'stroke-linejoin': 'round' }))
    .join('');
}

function cross(tooth: number, stroke: Record<string, string | number>): string {
  const w = halfWidth(tooth);
  return line(-w, APEX + 4, w, H, stroke) + line(w, APEX + 4, -w, H, stroke);
}

/** A crack across the fractured surfaces, or down the tooth. */
function drawFracture({ tooth, surfaces, status }: ToothFinding, stroke: Record<string, string | number>): string {
  if (surfaces.length === 0) return path(`M2,${-H - 3} l-6,11 l8,6 l-8,8 l7,6 l-5,${H - 8}`, stroke);
  const places = surfaces.map((surface) => surfaceShape(tooth, surface));
  const cracks = places.map((points) => {
    const [x, y] = [0, 1].map((axis) => points.reduce((sum, point) => sum + (point[axis] ?? 0), 0) / points.length) as [number, number];
    return path(`M${x - 7},${y + 4} l4,-6 l4,5 l4,-6`, { ...stroke, 'stroke-width': 2.2, 'stroke-linejoin': 'round' });
  });
  return places.map((points) => polygon(points, { fill: COLOUR[status], 'fill-opacity': 0.14 })).join('') + cracks.join('');
}

function drawImplant(colour: string): string {
  const threads = Array.from({ length: 5 }, (_, index) => {
    const y = NECK - 8 - index * 6;
    const w = 8.5 - index * 0.9;
    return line(-w, y + 1.5, w, y - 1.5, { stroke: colour, 'stroke-width': 2.2, 'stroke-linecap': 'round' });
  });
  const body = `M-6,${NECK - 2} L6,${NECK - 2} L3.2,${APEX + 4} Q0,${APEX} -3.2,${APEX + 4} Z`;
  return group(
    {},
    path(body, { fill: '#FFFFFF', stroke: colour, 'stroke-width': 1.8 }),
    ...threads,
    line(-8, NECK, 8, NECK, { stroke: colour, 'stroke-width': 3.2 }),
  );
}

/** The abbreviation of a finding, or ''. */
export const abbreviationOf = ({ finding }: ToothFinding): string => ABBREVIATIONS[finding] ?? '';
