// The legend below a chart, in Spanish.
import { type FindingStatus, findingOf } from '../rules/findings.ts';
import { COLOUR, fillOf, TEXTURE } from './colours.ts';
import { group, line, path, tag, text } from './elements.ts';
import { ABBREVIATIONS } from './marks.ts';

const GREY = '#3E4C59';
const stroke = { stroke: GREY, 'stroke-width': 2.2, 'stroke-linecap': 'round', fill: 'none' };

const box = (attributes: Record<string, string | number>) => tag('rect', { x: -8, y: -8, width: 16, height: 16, rx: 2, ...attributes });
const status = (name: FindingStatus) => tag('circle', { r: 7, fill: COLOUR[name] });
const texture = (finding: string) => box({ fill: fillOf(TEXTURE[finding] ?? 'solid', 'existing'), stroke: COLOUR.existing });

const STATUS_ITEMS: Item[] = [
  ['Existente', status('existing')],
  ['Planificado', status('planned')],
  ['Realizado', status('treated')],
];
const SYMBOL_ITEMS: Item[] = [
  ['Caries', texture('caries')],
  ['Resina', texture('filling_resin')],
  ['Amalgama', texture('filling_amalgam')],
  ['Sellante', texture('sealant')],
  ['Fractura', path('M-7,4 l4,-7 l4,6 l5,-7', stroke)],
  ['Corona', tag('circle', { r: 7, ...stroke })],
  ['Conductos', line(0, -8, 0, 8, { ...stroke, 'stroke-width': 3 })],
  ['Implante', path('M-7,-8 h14 M-5,-3 l10,-2 M-5,2 l10,-2 M-4,7 l8,-2', stroke)],
  ['Puente', path('M-9,-3 h18 M-6,-3 v9 M6,-3 v9', { ...stroke, 'stroke-width': 3 })],
  ['Prótesis', path('M-9,-3 h18 M-9,3 h18', stroke)],
  ['Ausente', path('M-6,-7 l12,14 m0,-14 l-12,14', stroke)],
  ['Extraer', path('M-6,-7 l12,14 m0,-14 l-12,14', { ...stroke, 'stroke-dasharray': '3.5 3' })],
  ['Impactado', tag('ellipse', { rx: 6, ry: 9, ...stroke })],
];

const COLUMN = 128;
const WIDE_COLUMN = 178;
const LINE = 25;

/** The legend from `top` down, at most `width` wide; `used` are the codes of findings whose abbreviations are explained. */
export function drawLegend(left: number, top: number, width: number, used: ReadonlySet<string>): { svg: string; height: number } {
  const rows = [...rowsOf(STATUS_ITEMS, COLUMN, width), ...rowsOf(SYMBOL_ITEMS, COLUMN, width)];
  const abbreviated = Object.keys(ABBREVIATIONS).filter((finding) => used.has(finding));
  const signs = rows.map((row, index) => group({ transform: `translate(${left} ${top + index * LINE})` }, ...row));
  const abbreviations = rowsOf(
    abbreviated.map((finding) => abbreviationItem(finding)),
    WIDE_COLUMN,
    width,
  );
  const below = top + rows.length * LINE;
  const explained = abbreviations.map((row, index) => group({ transform: `translate(${left} ${below + index * LINE})` }, ...row));
  return { svg: [...signs, ...explained].join(''), height: (rows.length + abbreviations.length) * LINE };
}

type Item = [label: string, sign: string];

function abbreviationItem(finding: string): Item {
  const sign = text(-9, 4.5, ABBREVIATIONS[finding] ?? '', { 'font-size': 12, 'font-weight': 700, fill: GREY });
  return [findingOf(finding)?.nameEs ?? finding, sign];
}

/** Items in columns, as many per row as fit. */
function rowsOf(items: Item[], column: number, width: number): string[][] {
  const perRow = Math.floor(width / column);
  const indent = column === COLUMN ? 15 : 26;
  const rows: string[][] = [];
  for (const [index, [label, sign]] of items.entries()) {
    const row = index % perRow === 0 ? [] : (rows.pop() ?? []);
    const x = 9 + (index % perRow) * column;
    rows.push([...row, group({ transform: `translate(${x} 0)` }, sign, text(indent, 4.5, label, { 'font-size': 13, fill: GREY }))]);
  }
  return rows;
}
