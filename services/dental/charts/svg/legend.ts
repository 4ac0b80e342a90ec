// The legend below a chart, in Spanish.
import { findingOf } from '../rules/findings.ts';
import { fillOf, MEANING_ES, MEANINGS, type Meaning, meaningOf, outline, type Palette } from './colours.ts';
import { group, line, path, tag, text } from './elements.ts';
import { ABBREVIATIONS } from './marks.ts';

const GREY = '#3E4C59';
const stroke = { stroke: GREY, 'stroke-width': 2.2, 'stroke-linecap': 'round', fill: 'none' };

const box = (attributes: Record<string, string | number | undefined>) => tag('rect', { x: -8, y: -8, width: 16, height: 16, rx: 2, ...attributes });

function swatch(finding: string, meaning: Meaning, palette: Palette): string {
  return box({ fill: fillOf(finding, meaning, palette) }) + outline(meaning, palette, 1.6, (stroke) => box(stroke));
}

const meaningItems = (palette: Palette): Item[] =>
  MEANINGS.map((meaning) => [MEANING_ES[meaning], swatch(meaning === 'problem' ? 'caries' : 'filling_resin', meaning, palette)]);

const TEXTURE_ITEMS: [label: string, finding: string][] = [
  ['Caries', 'caries'],
  ['Mancha blanca', 'white_spot'],
  ['Resina', 'filling_resin'],
  ['Amalgama', 'filling_amalgam'],
  ['Provisional', 'filling_temporary'],
  ['Sellante', 'sealant'],
];
const textureItems = (palette: Palette): Item[] =>
  TEXTURE_ITEMS.map(([label, finding]) => [label, swatch(finding, meaningOf({ finding, status: 'existing' }), palette)]);

const SYMBOL_ITEMS: Item[] = [
  ['Fractura', path('M-7,4 l4,-7 l4,6 l5,-7', stroke)],
  ['Corona', tag('circle', { r: 7, ...stroke })],
  ['Conductos', line(0, -8, 0, 8, { ...stroke, 'stroke-width': 3 })],
  ['Pulpotomía', line(0, -4, 0, 4, { ...stroke, 'stroke-width': 3 })],
  ['Endoposte', path('M-5,-8 H5 L1.6,8 H-1.6 Z', { ...stroke, fill: GREY })],
  ['Implante', path('M-7,-8 h14 M-5,-3 l10,-2 M-5,2 l10,-2 M-4,7 l8,-2', stroke)],
  ['Puente', path('M-9,-3 h18 M-6,-3 v9 M6,-3 v9', { ...stroke, 'stroke-width': 3 })],
  ['Prótesis', path('M-9,-3 h18 M-9,3 h18', stroke)],
  ['Ferulización', path('M-9,1 q2.25,-5 4.5,0 t4.5,0 t4.5,0 t4.5,0', stroke)],
  ['Ausente', path('M-6,-7 l12,14 m0,-14 l-12,14', stroke)],
  ['Extraer', path('M-6,8 L1,-8 M-1,8 L6,-8', stroke)],
  ['Impactado', tag('ellipse', { rx: 6, ry: 9, ...stroke })],
  ['Sin erupcionar', tag('ellipse', { rx: 6, ry: 9, ...stroke, 'stroke-dasharray': '0.5 4' })],
  ['En erupción', path('M0,-8 V8 m-5,-6 l5,6 l5,-6', stroke)],
];

const COLUMN = 128;
const WIDE_COLUMN = 178;
const LINE = 25;

/** The legend from `top` down, at most `width` wide; `used` are the codes of findings whose abbreviations are explained. */
export function drawLegend(left: number, top: number, width: number, used: ReadonlySet<string>, palette: Palette): { svg: string; height: number } {
  const rows = [meaningItems(palette), [...textureItems(palette), ...SYMBOL_ITEMS]].flatMap((items) => rowsOf(items, COLUMN, width));
  const abbreviated = Object.keys(ABBREVIATIONS).filter((finding) => used.has(finding));
  const signs = rows.map((row, index) => group({ transform: `translate(${left} ${top + index * LINE})` }, ...row));
  const abbreviations = rowsOf(abbreviated.map(abbreviationItem), WIDE_COLUMN, width);
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
