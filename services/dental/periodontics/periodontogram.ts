// A periodontal chart: for each arch the outside and the inside of its teeth, with the margin of the gum and the bottom of
// the pockets as lines against a millimetre grid, and the numbers beside them. Beyond the grid the numbers alone tell.

import { isUpper, mesialIsRight, ROWS } from '../charts/rules/teeth.ts';
import { group, line, path, picture, tag, text, title } from '../charts/svg/elements.ts';
import type { MeasuredSite, MeasuredTooth } from './periodontics-rules.ts';
import { indexesOf } from './periodontics-rules.ts';

const WIDTH = 1060;
const LEFT = 92;
const COLUMN = 58;
const GAP = 12;
/** Pixels a millimetre, and how many of them are drawn beyond the neck of the tooth. */
const MM = 6;
const REACH = 12;
const GRAPH = (REACH + 4) * MM;
const ROW = 17;
const INK = '#1F2933';
const MUTED = '#7B8794';
const FAINT = '#E4E7EB';
const GUM = '#C2255C';
const POCKET = '#1D5FBF';
const DEEP = '#D12F2B';
const PLAQUE = '#F0A202';
const PUS = '#8A6D3B';
const OUTSIDE = ['DV', 'V', 'MV'] as const;
const INSIDE = ['DL', 'L', 'ML'] as const;

/** The picture as SVG text. Deciduous teeth stand where their successors will. */
export function drawPeriodontogram(teeth: readonly MeasuredTooth[], date: string): string {
  const measured = new Map(teeth.map((one) => [one.tooth, one]));
  const arches = [ROWS.upper, ROWS.lower].map((row) => row.map((tooth) => statusAfterChange(tooth, measured)));
  let y = 64;
  const parts: string[] = [];
  for (const [index, arch] of arches.entries()) {
    const upper = index === 0;
    // The crowns of an arch look at each other across its middle: outside above and inside below for the upper one.
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
  return picture(
    WIDTH,
    y + 34,
    { title: `Periodontograma del ${date}`, description: summary },
    text(LEFT, 34, `Periodontograma · ${date}`, { 'font-size': 18, 'font-weight': 600, fill: INK }),
    text(WIDTH - 34, 34, summary, { 'font-size': 13, fill: '#3E4C59', 'text-anchor': 'end' }),
    ...parts,
    legend,
  );
}

type Stand = { tooth: number; measured: MeasuredTooth | undefined; x: number };

/** The tooth that was measured in a place of the row: the permanent one, or else the deciduous one before it. */
function statusAfterChange(tooth: number, measured: ReadonlyMap<number, MeasuredTooth>): Stand {
  const before = tooth % 10 <= 5 ? tooth + 40 : undefined;
  const own = measured.get(tooth);
  const milk = before !== undefined && !own ? measured.get(before) : undefined;
  const row = isUpper(tooth) ? ROWS.upper : ROWS.lower;
  const index = row.indexOf(tooth as never);
  return { tooth: milk?.tooth ?? tooth, measured: own ?? milk, x: LEFT + index * COLUMN + (index >= 8 ? GAP : 0) + COLUMN / 2 };
}

/** Sites of a tooth from left to right as one looks at the patient. */
function sitesOf({ tooth, measured }: Stand, names: readonly string[]): (MeasuredSite | undefined)[] {
  const ordered = mesialIsRight(tooth) ? names : names.toReversed();
  return ordered.map((name) => measured?.sites.find(({ site }) => site === name));
}

function band(arch: readonly Stand[], names: readonly string[], label: string, top: number, rootsUp: boolean): { svg: string; bottom: number } {
  const table = 3 * ROW;
  const graphTop = rootsUp ? top + table + 6 : top;
  const neck = rootsUp ? graphTop + REACH * MM : graphTop + GRAPH - REACH * MM;
  const tableTop = rootsUp ? top : graphTop + GRAPH + 6;
  const parts = [grid(graphTop, neck, rootsUp), tableLabels(tableTop), text(14, neck + 4, label, { 'font-size': 12, 'font-weight': 600, fill: INK })];
  const away = rootsUp ? -1 : 1;
  for (const stand of arch) parts.push(toothBand(stand, sitesOf(stand, names), { neck, away, tableTop }));
  parts.push(lines(arch, names, neck, away));
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

/** The outline of a tooth, its three columns of numbers and the dots of bleeding, plaque and pus. */
function toothBand(stand: Stand, sites: readonly (MeasuredSite | undefined)[], at: { neck: number; away: number; tableTop: number }): string {
  const { tooth, x, measured } = stand;
  const wide = tooth % 10 >= 6 || (tooth > 50 && tooth % 10 >= 4) ? 24 : tooth % 10 <= 3 ? 17 : 19;
  const tip = at.neck + at.away * REACH * MM * 0.92;
  const crown = at.neck - at.away * 3.6 * MM;
  const d = `M${x - wide},${at.neck} C${x - wide},${(at.neck + tip) / 2} ${x - 7},${tip} ${x},${tip} C${x + 7},${tip} ${x + wide},${(at.neck + tip) / 2} ${x + wide},${at.neck} Q${x + wide + 1},${crown} ${x + wide - 5},${crown} H${x - wide + 5} Q${x - wide - 1},${crown} ${x - wide},${at.neck} Z`;
  const outline = path(d, { fill: measured ? '#FBF9F3' : '#FFFFFF', stroke: '#B8C1CC', 'stroke-width': 1, 'stroke-dasharray': measured ? undefined : '3 3' });
  const cells = sites.map((site, index) => (site ? cell(site, siteX(x, index), at.tableTop) : '')).join('');
  return group({}, title(describe(tooth, sites)), outline, cells);
}

const siteX = (x: number, index: number) => x + (index - 1) * 17;

function cell(site: MeasuredSite, x: number, top: number): string {
  const deep = site.depth >= 4;
  const dots = [site.bleeding && DEEP, site.plaque && PLAQUE, site.suppuration && PUS].filter((colour) => colour !== false);
  return (
    text(x, top + 12, String(site.depth), { 'font-size': 12, 'text-anchor': 'middle', 'font-weight': deep ? 700 : undefined, fill: deep ? DEEP : INK }) +
    text(x, top + 12 + ROW, site.recession === 0 ? '·' : String(site.recession), { 'font-size': 12, 'text-anchor': 'middle', fill: MUTED }) +
    dots.map((fill, index) => tag('circle', { cx: x + (index - (dots.length - 1) / 2) * 5.4, cy: top + 8 + 2 * ROW, r: 2.6, fill })).join('')
  );
}

/** Margin of the gum and bottom of the pockets, joined across neighbouring teeth that were measured, and the pocket between them. */
function lines(arch: readonly Stand[], names: readonly string[], neck: number, away: number): string {
  const runs: { x: number; margin: number; bottom: number }[][] = [[]];
  for (const stand of arch) {
    for (const [index, site] of sitesOf(stand, names).entries()) {
      if (!site) runs.push([]);
      else
        runs.at(-1)?.push({
          x: siteX(stand.x, index),
          margin: neck + away * Math.min(Math.max(site.recession, -4), REACH) * MM,
          bottom: neck + away * Math.min(site.recession + site.depth, REACH) * MM,
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
function numbers(arch: readonly Stand[], measured: ReadonlyMap<number, MeasuredTooth>, y: number): string {
  return arch
    .map(({ tooth, x }) => {
      const one = measured.get(tooth);
      const told = [one?.mobility ? `Mov ${one.mobility}` : '', ...(one?.furcation ?? []).map(({ side, grade }) => `${side}${'I'.repeat(grade)}`)]
        .filter(Boolean)
        .join(' ');
      return (
        text(x, y + 14, String(tooth), { 'font-size': 14, 'font-weight': 600, 'text-anchor': 'middle', fill: one ? INK : MUTED }) +
        (told && text(x, y + 28, told, { 'font-size': 10, 'font-weight': 600, 'text-anchor': 'middle', fill: PUS }))
      );
    })
    .join('');
}

function describe(tooth: number, sites: readonly (MeasuredSite | undefined)[]): string {
  const told = sites.flatMap((site) =>
    site ? [`${site.site} ${site.depth} mm${site.recession ? `, recesión ${site.recession} mm` : ''}${site.bleeding ? ', sangra' : ''}`] : [],
  );
  return told.length > 0 ? `${tooth}: ${told.join('; ')}` : `${tooth}: sin medir`;
}

function drawLegend(y: number): string {
  const items: [string, string][] = [
    ['Margen gingival', line(-9, 0, 9, 0, { stroke: GUM, 'stroke-width': 2.4 })],
    ['Fondo de bolsa', line(-9, 0, 9, 0, { stroke: POCKET, 'stroke-width': 2.4 })],
    ['Sangrado', tag('circle', { r: 4, fill: DEEP })],
    ['Placa', tag('circle', { r: 4, fill: PLAQUE })],
    ['Supuración', tag('circle', { r: 4, fill: PUS })],
    ['Mov: movilidad', ''],
    ['V, L, M, D con I–III: furca', ''],
  ];
  return items
    .map(([label, sign], index) =>
      group({ transform: `translate(${26 + index * 140} ${y})` }, sign, text(sign ? 15 : 0, 4.5, label, { 'font-size': 13, fill: '#3E4C59' })),
    )
    .join('');
}
