// The symbols of findings on a tooth, in the coordinates of tooth-shape.ts.
import type { ToothFinding } from '../rules/chart.ts';
import { isGone } from '../rules/chart.ts';
import { surfacesOf } from '../rules/teeth.ts';
import { fillOf, type Meaning, meaningOf, outline, type Palette, TEXTURE } from './colours.ts';
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
export function drawMark(one: ToothFinding, palette: Palette): string {
  const { tooth, finding } = one;
  const meaning = meaningOf(one);
  const colour = palette[meaning];
  const outlined = (width: number, draw: Parameters<typeof outline>[3]) => outline(meaning, palette, width, draw);
  const drawPath = (d: string, width = 2.6) => outlined(width, (stroke) => path(d, stroke));
  const drawRoots = (dOf: (x: number) => string) => drawPath(rootsOf(tooth).map(dOf).join(' '), 3);
  if (finding in TEXTURE) return drawSurfaces(one, meaning, palette);
  if (isGone(one)) return drawPath(crossOf(tooth), 3);
  switch (finding) {
    case 'missing':
      return drawPath(crossOf(tooth));
    case 'extraction_indicated':
      return drawPath(`M-14,${H} L2,${APEX + 4} M-2,${H} L14,${APEX + 4}`);
    case 'fracture':
      return drawFracture(one, colour, drawPath);
    case 'crown': {
      const shape = { cx: 0, cy: 0, rx: halfWidth(tooth) + 4.5, ry: H + 4.5 };
      const tint = meaning === 'planned' ? '' : tag('ellipse', { ...shape, fill: colour, 'fill-opacity': 0.1 });
      return tint + outlined(2.6, (stroke) => tag('ellipse', { ...shape, ...stroke }));
    }
    case 'root_canal':
      return drawRoots((x) => `M${x},${NECK + 8} L${x * 1.12},${APEX + 8}`);
    case 'pulpotomy':
      return drawRoots((x) => `M${x},${NECK + 8} V${NECK - 10}`);
    case 'post': {
      const d = `M-5,${NECK + 4} L5,${NECK + 4} L1.6,${NECK - 22} L-1.6,${NECK - 22} Z`;
      return (meaning === 'planned' ? '' : path(d, { fill: colour })) + drawPath(d, 1);
    }
    case 'implant':
      return drawImplant(colour, drawPath);
    case 'impacted':
      return outlined(2.2, (stroke) => tag('ellipse', { ...UNERUPTED, ...stroke }));
    case 'unerupted':
      return outlined(1.8, (stroke) => tag('ellipse', { ...UNERUPTED, ...stroke, 'stroke-linecap': 'round', 'stroke-dasharray': '0.5 5' }));
    case 'erupting':
      return drawPath(`M0,${APEX + 4} V${NECK} m-5,-7 l5,7 l5,-7`);
    default:
      return '';
  }
}

const UNERUPTED = { cx: 0, cy: -18, rx: 25.5, ry: 46 };

function drawSurfaces({ tooth, finding, surfaces }: ToothFinding, meaning: Meaning, palette: Palette): string {
  return (surfaces.length > 0 ? surfaces : surfacesOf(tooth))
    .map((surface) => {
      const shape = surfaceShape(tooth, surface);
      return polygon(shape, { fill: fillOf(finding, meaning, palette) }) + outline(meaning, palette, 1.4, (stroke) => polygon(shape, stroke));
    })
    .join('');
}

function crossOf(tooth: number): string {
  const w = halfWidth(tooth);
  return `M${-w},${APEX + 4} L${w},${H} M${w},${APEX + 4} L${-w},${H}`;
}

/** A crack across the fractured surfaces, or down the tooth. */
function drawFracture({ tooth, surfaces }: ToothFinding, colour: string, drawPath: (d: string, width?: number) => string): string {
  if (surfaces.length === 0) return drawPath(`M2,${-H - 3} l-6,11 l8,6 l-8,8 l7,6 l-5,${H - 8}`);
  const places = surfaces.map((surface) => surfaceShape(tooth, surface));
  const cracks = places.map((points) => {
    const [x, y] = [0, 1].map((axis) => points.reduce((sum, point) => sum + (point[axis] ?? 0), 0) / points.length) as [number, number];
    return `M${x - 7},${y + 4} l4,-6 l4,5 l4,-6`;
  });
  return places.map((points) => polygon(points, { fill: colour, 'fill-opacity': 0.14 })).join('') + drawPath(cracks.join(' '), 2.2);
}

function drawImplant(colour: string, drawPath: (d: string, width?: number) => string): string {
  const threads = Array.from({ length: 5 }, (_, index) => {
    const y = NECK - 8 - index * 6;
    const w = 8.5 - index * 0.9;
    return line(-w, y + 1.5, w, y - 1.5, { stroke: colour, 'stroke-width': 2.2, 'stroke-linecap': 'round' });
  });
  const body = `M-6,${NECK - 2} L6,${NECK - 2} L3.2,${APEX + 4} Q0,${APEX} -3.2,${APEX + 4} Z`;
  return group({}, path(body, { fill: '#FFFFFF' }), drawPath(body, 1.8), ...threads, line(-8, NECK, 8, NECK, { stroke: colour, 'stroke-width': 3.2 }));
}

/** The abbreviation of a finding, or ''. */
export const abbreviationOf = ({ finding }: ToothFinding): string => ABBREVIATIONS[finding] ?? '';
