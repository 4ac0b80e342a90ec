// A periodontal exam as an SVG: for each arch the outside and the inside of the teeth, with the gingival margin and the bottom of the
// pockets as lines on a millimetre grid, and the values as numbers. Values beyond the grid appear only as numbers.
import { isUpper, mesialIsRight, ROWS } from '../charts/rules/teeth.ts';
import { group, line, path, svg, tag, text, title } from '../charts/svg/elements.ts';
import type { MeasuredSite, MeasuredTooth } from './periodontics-rules.ts';
import { indexesOf } from './periodontics-rules.ts';

const WIDTH = 1060;
const LEFT = 92;
const COLUMN = 58;
const GAP = 12;
/** Pixels per millimetre, and the millimetres of grid beyond the neck of the tooth. */
const MM = 6;
const REACH = 12;
const GRAPH = (REACH + 4) * MM;
const ROW = 17;
const INK = '#1F2933';
const MUTED = '#7B8794';
const FAINT = '#E4E7EB';
const GUM = '#C2255C';
const POCKET = '#1D5FBF';
const DEEP = '#C2410C';
const GRADE = '#8A6D3B';
/** The signs of a site differ by shape, and by colours that remain distinguishable with colour blindness (Okabe and Ito). */
const SIGNS = [
  {
    sign: 'bleeding',
    label: 'Sangrado',
    description: 'sangra',
    draw: (x: number, y: number, r: number) => tag('circle', { cx: x, cy: y, r, fill: '#D55E00' }),
  },
  {
    sign: 'plaque',
    label: 'Placa',
    description: 'placa',
    draw: (x: number, y: number, r: number) => tag('rect', { x: x - r, y: y - r, width: 2 * r, height: 2 * r, fill: '#0072B2' }),
  },
  {
    sign: 'suppuration',
    label: 'Supuración',
    description: 'supura',
    draw: (x: number, y: number, r: number) =>
      path(`M${x},${y - r * 1.15} l${r * 1.2},${r * 2.1} h${-r * 2.4} Z`, { fill: '#F0E442', stroke: INK, 'stroke-width': 0.8 }),
  },
] as const;
const OUTSIDE = ['DV', 'V', 'MV'] as const;
const INSIDE = ['DL', 'L', 'ML'] as const;

/** The SVG. A deciduous tooth takes the position of its successor. */
export function drawPeriodontogram(teeth: readonly MeasuredTooth[], date: string): string {
  const measured = new Map(teeth.map((one) => [one.tooth, one]));
  const arches = [ROWS.upper, ROWS.lower].map((row) => row.map((tooth) => positionOf(tooth, measured)));
  let y = 64;
  const parts: string[] = [];
  for (const [index, arch] of arches.entries()) {
    const upper = index === 0;
    // The crowns face the middle of the arch: outside above and inside below for the upper arch, the reverse for the lower.
    const first = band(arch, upper ? OUTSIDE : INSIDE, upper ? 'Vestibular' : 'Lingual', y, true);
    parts.push(first.svg);
    y = first.bottom + 10;
    parts.push(numbers(arch, measured, y));
    y += 40;
    const second = band(arch, upper ? INSIDE : OUTSIDE, upper ? 'Palatino' : 'Vestibular', y, false);
    parts.push(second.svg);
    y = second.bottom + 34;
  }
  const legend = drawLegend(y);
  const indexes = indexesOf(teeth);
  const summary = `Sangrado ${indexes.bleedingIndex} %   ·   Placa ${indexes.plaqueIndex} %   ·   Profundidad media ${indexes.meanDepth} mm   ·   Sitios ≥ 4 mm: ${indexes.sitesFrom4mm} de ${indexes.sitesMeasured}`;
  return svg(
    WIDTH,
    y + 34,
    { title: `Periodontograma del ${date}`, description: summary },
    text(LEFT, 34, `Periodontograma · ${date}`, { 'font-size': 18, 'font-weight': 600, fill: INK }),
    text(WIDTH - 34, 34, summary, { 'font-size': 13, fill: '#3E4C59', 'text-anchor': 'end' }),
    ...parts,
    legend,
  );
}

type Position = { tooth: number; measured: MeasuredTooth | undefined; x: number };

/** The measured tooth at a position of the row: the permanent one, otherwise its deciduous predecessor. */
function positionOf(tooth: number, measured: ReadonlyMap<number, MeasuredTooth>): Position {
  const predecessor = tooth % 10 <= 5 ? tooth + 40 : undefined;
  const own = measured.get(tooth);
  const deciduous = predecessor !== undefined && !own ? measured.get(predecessor) : undefined;
  const row = isUpper(tooth) ? ROWS.upper : ROWS.lower;
  const index = row.indexOf(tooth as never);
  return { tooth: deciduous?.tooth ?? tooth, measured: own ?? deciduous, x: LEFT + index * COLUMN + (index >= 8 ? GAP : 0) + COLUMN / 2 };
}

/** Sites of a tooth from left to right, seen from the front of the patient. */
function sitesOf({ tooth, measured }: Position, names: readonly string[]): (MeasuredSite | undefined)[] {
  const ordered = mesialIsRight(tooth) ? names : names.toReversed();
  return ordered.map((name) => measured?.sites.find(({ site }) => site === name));
}

function band(arch: readonly Position[], names: readonly string[], label: string, top: number, rootsUp: boolean): { svg: string; bottom: number } {
  const table = 3 * ROW;
  const graphTop = rootsUp ? top + table + 6 : top;
  const neck = rootsUp ? graphTop + REACH * MM : graphTop + GRAPH - REACH * MM;
  const tableTop = rootsUp ? top : graphTop + GRAPH + 6;
  const parts = [grid(graphTop, neck, rootsUp), tableLabels(tableTop), text(14, neck + 4, label, { 'font-size': 12, 'font-weight': 600, fill: INK })];
  const direction = rootsUp ? -1 : 1;
  for (const position of arch) parts.push(toothBand(position, sitesOf(position, names), { neck, direction, tableTop }));
  parts.push(lines(arch, names, neck, direction));
  return { svg: parts.join(''), bottom: top + table + 6 + GRAPH };
}

const RIGHT = LEFT + 16 * COLUMN + GAP;

function grid(top: number, neck: number, rootsUp: boolean): string {
  const lines: string[] = [];
  for (let mm = -4; mm <= REACH; mm++) {
    const y = neck + (rootsUp ? -mm : mm) * MM;
    if (y < top || y > top + GRAPH) continue;
    lines.push(line(LEFT, y, RIGHT, y, { stroke: mm === 0 ? '#9AA5B1' : FAINT, 'stroke-width': mm === 0 ? 1.2 : mm % 3 === 0 ? 1 : 0.5 }));
    if (mm > 0 && mm % 3 === 0) lines.push(text(LEFT - 6, y + 3.5, String(mm), { 'font-size': 9, fill: MUTED, 'text-anchor': 'end' }));
  }
  return lines.join('');
}

function tableLabels(top: number): string {
  return ['Profundidad', 'Recesión', 'Signos'].map((label, index) => text(14, top + 12 + index * ROW, label, { 'font-size': 11, fill: MUTED })).join('');
}

/** The outline of a tooth, its three columns of numbers and the signs of bleeding, plaque and suppuration. */
function toothBand(position: Position, sites: readonly (MeasuredSite | undefined)[], at: { neck: number; direction: number; tableTop: number }): string {
  const { tooth, x, measured } = position;
  const wide = tooth % 10 >= 6 || (tooth > 50 && tooth % 10 >= 4) ? 24 : tooth % 10 <= 3 ? 17 : 19;
  const tip = at.neck + at.direction * REACH * MM * 0.92;
  const crown = at.neck - at.direction * 3.6 * MM;
  const d = `M${x - wide},${at.neck} C${x - wide},${(at.neck + tip) / 2} ${x - 7},${tip} ${x},${tip} C${x + 7},${tip} ${x + wide},${(at.neck + tip) / 2} ${x + wide},${at.neck} Q${x + wide + 1},${crown} ${x + wide - 5},${crown} H${x - wide + 5} Q${x - wide - 1},${crown} ${x - wide},${at.neck} Z`;
  const outline = path(d, { fill: measured ? '#FBF9F3' : '#FFFFFF', stroke: '#B8C1CC', 'stroke-width': 1, 'stroke-dasharray': measured ? undefined : '3 3' });
  const cells = sites.map((site, index) => (site ? cell(site, siteX(x, index), at.tableTop) : '')).join('');
  return group({}, title(describe(tooth, sites)), outline, cells);
}

const siteX = (x: number, index: number) => x + (index - 1) * 17;

function cell(site: MeasuredSite, x: number, top: number): string {
  const deep = site.depth >= 4;
  const signs = SIGNS.filter(({ sign }) => site[sign]);
  return (
    text(x, top + 12, String(site.depth), { 'font-size': 12, 'text-anchor': 'middle', 'font-weight': deep ? 700 : undefined, fill: deep ? DEEP : INK }) +
    text(x, top + 12 + ROW, site.recession === 0 ? '·' : String(site.recession), { 'font-size': 12, 'text-anchor': 'middle', fill: MUTED }) +
    signs.map(({ draw }, index) => draw(x + (index - (signs.length - 1) / 2) * 5.6, top + 8 + 2 * ROW, 2.4)).join('')
  );
}

/** Gingival margin and bottom of the pockets as lines across adjacent measured sites, and the area between them. */
function lines(arch: readonly Position[], names: readonly string[], neck: number, direction: number): string {
  const runs: { x: number; margin: number; bottom: number }[][] = [[]];
  for (const position of arch) {
    for (const [index, site] of sitesOf(position, names).entries()) {
      if (!site) runs.push([]);
      else
        runs.at(-1)?.push({
          x: siteX(position.x, index),
          margin: neck + direction * Math.min(Math.max(site.recession, -4), REACH) * MM,
          bottom: neck + direction * Math.min(site.recession + site.depth, REACH) * MM,
        });
    }
  }
  return runs
    .filter((run) => run.length > 0)
    .map((run) => {
      const margin = run.map(({ x, margin }) => `${x},${margin}`);
      const bottom = run.map(({ x, bottom }) => `${x},${bottom}`);
      const stroke = { fill: 'none', 'stroke-width': 1.8, 'stroke-linejoin': 'round' };
      return (
        tag('polygon', { points: [...margin, ...bottom.toReversed()].join(' '), fill: POCKET, 'fill-opacity': 0.13 }) +
        tag('polyline', { points: margin.join(' '), ...stroke, stroke: GUM }) +
        tag('polyline', { points: bottom.join(' '), ...stroke, stroke: POCKET })
      );
    })
    .join('');
}

/** Number, mobility and furcation of each tooth, between the two sides of its arch. */
function numbers(arch: readonly Position[], measured: ReadonlyMap<number, MeasuredTooth>, y: number): string {
  return arch
    .map(({ tooth, x }) => {
      const one = measured.get(tooth);
      const labels = [one?.mobility ? `Mov ${one.mobility}` : '', ...(one?.furcation ?? []).map(({ side, grade }) => `${side}${'I'.repeat(grade)}`)]
        .filter(Boolean)
        .join(' ');
      return (
        text(x, y + 14, String(tooth), { 'font-size': 14, 'font-weight': 600, 'text-anchor': 'middle', fill: one ? INK : MUTED }) +
        (labels && text(x, y + 28, labels, { 'font-size': 10, 'font-weight': 600, 'text-anchor': 'middle', fill: GRADE }))
      );
    })
    .join('');
}

function describe(tooth: number, sites: readonly (MeasuredSite | undefined)[]): string {
  const descriptions = sites.flatMap((site) => {
    if (!site) return [];
    const recession = site.recession ? [`recesión ${site.recession} mm`] : [];
    return [[`${site.site} ${site.depth} mm`, ...recession, ...SIGNS.filter(({ sign }) => site[sign]).map(({ description }) => description)].join(', ')];
  });
  return descriptions.length > 0 ? `${tooth}: ${descriptions.join('; ')}` : `${tooth}: sin medir`;
}

function drawLegend(y: number): string {
  const items: [string, string][] = [
    ['Margen gingival', line(-9, 0, 9, 0, { stroke: GUM, 'stroke-width': 2.4 })],
    ['Fondo de bolsa', line(-9, 0, 9, 0, { stroke: POCKET, 'stroke-width': 2.4 })],
    ...SIGNS.map(({ label, draw }): [string, string] => [label, draw(0, 0, 4)]),
    ['Mov: movilidad', ''],
    ['V, L, M, D con I–III: furca', ''],
  ];
  return items
    .map(([label, sign], index) =>
      group({ transform: `translate(${26 + index * 140} ${y})` }, sign, text(sign ? 15 : 0, 4.5, label, { 'font-size': 13, fill: '#3E4C59' })),
    )
    .join('');
}
