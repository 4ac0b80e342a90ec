// A dental chart as an SVG: teeth in FDI order, seen from the front of the patient, five surfaces per tooth, colours and patterns by what a finding means.
import type { ToothFinding } from '../rules/chart.ts';
import { isGone } from '../rules/chart.ts';
import { findingOf } from '../rules/findings.ts';
import { type Dentition, isDeciduous, isUpper, mesialIsRight, ROWS, type Surface, surfacesOf } from '../rules/teeth.ts';
import { type ChartAlert, drawAlerts } from './alerts.ts';
import { type ChartColors, drawPatterns, meaningOf, outline, PALETTES, type Palette, STATUS_ES } from './colours.ts';
import { group, line, svg, tag, text, title } from './elements.ts';
import { drawLegend } from './legend.ts';
import { abbreviationOf, drawMark } from './marks.ts';
import { drawSpans, type Place } from './spans.ts';
import { drawCrown, drawRoots } from './tooth-shape.ts';

const WIDTH = 960;
const COLUMN = 56;
const SMALL = 0.8;
/** Of one tooth, below each other; the number of further ones follows the last. */
const MAX_ABBREVIATIONS = 2;
const INK = '#1F2933';
const FAINT = '#CBD2D9';

type Row = { teeth: readonly number[]; y: number; scale: number };

/** The SVG. Includes every tooth with findings, also teeth that the dentition does not include. */
export function drawOdontogram(findings: readonly ToothFinding[], dentition: Dentition, colors: ChartColors, alerts: readonly ChartAlert[] = []): string {
  const palette = PALETTES[colors];
  const charted = new Set(findings.map(({ tooth }) => tooth));
  const permanent = dentition !== 'child' || [...charted].some((tooth) => !isDeciduous(tooth));
  const deciduous = dentition !== 'adult' || [...charted].some(isDeciduous);
  const { rows, bottom } = arrange(permanent, deciduous);
  const places = new Map<number, Place>();
  for (const { teeth, y, scale } of rows) {
    for (const [index, tooth] of teeth.entries()) places.set(tooth, { x: columnOf(index, teeth.length), y, scale, up: isUpper(tooth) });
  }
  const byTooth = Map.groupBy(findings, ({ tooth }) => tooth);
  const teeth = [...places].map(([tooth, place]) => drawTooth(tooth, place, byTooth.get(tooth) ?? [], palette));
  const count = new Set(findings.map(({ id }) => id)).size; // a bridge is one finding on several teeth
  const legend = drawLegend(32, bottom + 34, WIDTH - 64, new Set(findings.map(({ finding }) => finding)), palette);
  const warnings = drawAlerts(32, bottom + 34 + legend.height, alerts);
  return svg(
    WIDTH,
    bottom + 34 + legend.height + warnings.height,
    {
      title: 'Odontograma',
      description: `Dientes por número FDI, dentición ${DENTITION_ES[dentition]}: ${count === 1 ? '1 hallazgo' : `${count} hallazgos`}.`,
    },
    tag('defs', {}, drawPatterns(palette)),
    axes(rows, bottom),
    ...teeth,
    drawSpans(findings, (tooth) => places.get(tooth), palette),
    line(32, bottom + 8, WIDTH - 32, bottom + 8, { stroke: FAINT }),
    legend.svg,
    warnings.svg,
  );
}

const DENTITION_ES: Record<Dentition, string> = { adult: 'permanente', child: 'temporal', mixed: 'mixta' };

function arrange(permanent: boolean, deciduous: boolean): { rows: Row[]; bottom: number } {
  const rows: Row[] = [];
  let y = 10;
  const add = (teeth: readonly number[], scale: number, above: number, below: number) => {
    y += above * scale;
    rows.push({ teeth, y, scale });
    y += below * scale;
  };
  // Roots and number on one side of the crown, letters on the other.
  if (permanent) add(ROWS.upper, 1, 98, 46);
  if (deciduous) add(ROWS.upperDeciduous, permanent ? SMALL : 1, 98, 46);
  y += 4;
  if (deciduous) add(ROWS.lowerDeciduous, permanent ? SMALL : 1, 46, 98);
  if (permanent) add(ROWS.lower, 1, 46, 98);
  return { rows, bottom: y };
}

/** Rows are centred on the midline, with a gap between left and right. */
function columnOf(index: number, count: number): number {
  const fromMiddle = index - count / 2 + 0.5;
  return WIDTH / 2 + fromMiddle * COLUMN + Math.sign(fromMiddle) * 6;
}

/** The midline, and the line between the arches. */
function axes(rows: Row[], bottom: number): string {
  const lastUpper = rows.findLast(({ teeth }) => isUpper(teeth[0] ?? 11));
  const middle = (lastUpper?.y ?? 0) + 48 * (lastUpper?.scale ?? 1);
  const stroke = { stroke: FAINT, 'stroke-width': 1.2 };
  const side = { 'font-size': 11, fill: '#7B8794', 'letter-spacing': '0.06em' };
  return (
    line(WIDTH / 2, 14, WIDTH / 2, bottom, { ...stroke, 'stroke-dasharray': '3 4' }) +
    line(32, middle, WIDTH - 32, middle, stroke) +
    text(32, middle - 6, 'DERECHA', side) +
    text(WIDTH - 32, middle - 6, 'IZQUIERDA', { ...side, 'text-anchor': 'end' })
  );
}

function drawTooth(tooth: number, { x, y, scale, up }: Place, findings: readonly ToothFinding[], palette: Palette): string {
  const mirror = `scale(${mesialIsRight(tooth) ? 1 : -1} ${up ? 1 : -1})`;
  const gone = findings.some(isGone);
  const isPontic = findings.some(({ finding, pontic }) => finding === 'bridge' && pontic);
  const replaced = findings.some(({ finding, status }) => finding === 'implant' && status !== 'planned');
  const shape = drawCrown(tooth, surfacesOf(tooth));
  const roots = gone || isPontic || replaced ? group({ opacity: isPontic || replaced ? 0 : 0.35 }, drawRoots(tooth)) : drawRoots(tooth);
  const side = up ? -1 : 1;
  const abbreviated = findings.filter((one) => abbreviationOf(one) !== '');
  const further = abbreviated.length - MAX_ABBREVIATIONS;
  return group(
    { transform: `translate(${x} ${y})${scale === 1 ? '' : ` scale(${scale})`}` },
    title(describe(tooth, findings)),
    text(0, side * 76 + 5, String(tooth), { 'font-size': 15, 'font-weight': 600, 'text-anchor': 'middle', fill: gone ? '#7B8794' : INK }),
    group({ transform: mirror }, roots, gone && !replaced ? group({ opacity: 0.45 }, shape) : shape, ...findings.map((one) => drawMark(one, palette))),
    ...abbreviated.slice(0, MAX_ABBREVIATIONS).map((one, index) => {
      const baseline = -side * (33 + 13 * index) + 3;
      const label = text(0, baseline, abbreviationOf(one), { 'font-size': 11, 'font-weight': 700, 'text-anchor': 'middle', fill: INK });
      const more = index === MAX_ABBREVIATIONS - 1 && further > 0 ? text(14, baseline, `+${further}`, { 'font-size': 10, fill: INK }) : '';
      return label + more + outline(meaningOf(one), palette, 1.8, (stroke) => line(-12, baseline + 2.6, 12, baseline + 2.6, stroke));
    }),
  );
}

const SURFACE_ES: Record<Surface, string> = { M: 'mesial', D: 'distal', O: 'oclusal', I: 'incisal', V: 'vestibular', L: 'lingual', P: 'palatina' };

/** The title of a tooth, for screen readers and tooltips: `16: Caries (mesial, oclusal), existente`. */
function describe(tooth: number, findings: readonly ToothFinding[]): string {
  if (findings.length === 0) return `${tooth}: sin hallazgos`;
  const descriptions = findings.map(({ finding, surfaces, status }) => {
    const where = surfaces.length > 0 ? ` (${surfaces.map((surface) => SURFACE_ES[surface]).join(', ')})` : '';
    return `${findingOf(finding)?.nameEs ?? finding}${where}, ${STATUS_ES[status]}`;
  });
  return `${tooth}: ${descriptions.join('; ')}`;
}
