// A framed part of the page with a heading, and the card of a single figure.

import { percent } from './format.ts';
import { BAD, FAINT, GOOD, INK, RULE } from './palette.ts';
import { area, box, fit, type Shape, widthOf, write } from './shapes.ts';

export type Frame = { x: number; y: number; width: number; height: number };

const PAD = 10;

/** The content area of a panel, below its heading. */
export const inside = ({ x, y, width, height }: Frame): Frame => ({ x: x + PAD, y: y + 26, width: width - 2 * PAD, height: height - 34 });

export function panel({ x, y, width, height }: Frame, heading: string, note = ''): Shape[] {
  const noteWidth = widthOf(note, 7);
  return [
    box(x, y, width, height, { fill: '#ffffff', stroke: RULE, radius: 6 }),
    write(x + PAD, y + 17, fit(heading, width - 3 * PAD - noteWidth, 9.5, 'bold'), { size: 9.5, weight: 'bold' }),
    write(x + width - PAD, y + 17, note, { size: 7, fill: FAINT, anchor: 'end' }),
  ];
}

/** `more` is whether a higher value is better or worse. `difference` is the change as text: growth or percentage points. */
export type Card = { label: string; value: string; before: string; change: number | undefined; difference: string; more: 'better' | 'worse' };

export function card({ x, y, width, height }: Frame, { label, value, before, change, difference, more }: Card): Shape[] {
  const available = width - 2 * PAD;
  const size = widthOf(value, 17, 'bold') > available ? 13 : 17;
  const shapes = [
    box(x, y, width, height, { fill: '#ffffff', stroke: RULE, radius: 6 }),
    write(x + PAD, y + 15, fit(label, available, 7.5), { size: 7.5, fill: FAINT }),
    write(x + PAD, y + 35, fit(value, available, size, 'bold'), { size, weight: 'bold', fill: INK }),
  ];
  const below = y + height - 9;
  if (change === undefined || /^[0.]+ /.test(difference)) return [...shapes, write(x + PAD, below, fit(before, available, 7), { size: 7, fill: FAINT })];
  const colour = change > 0 === (more === 'better') ? GOOD : BAD;
  const after = PAD + 12 + widthOf(difference, 7, 'bold');
  return [
    ...shapes,
    arrow(x + PAD, below, change, colour),
    write(x + PAD + 8, below, difference, { size: 7, weight: 'bold', fill: colour }),
    write(x + after, below, fit(before, width - after - 4, 7), { size: 7, fill: FAINT }),
  ];
}

function arrow(x: number, y: number, change: number, colour: string): Shape {
  const [base, tip] = change > 0 ? [y - 0.3, y - 5.3] : [y - 5.3, y - 0.3];
  const points: [number, number][] = [
    [x, base],
    [x + 5.6, base],
    [x + 2.8, tip],
  ];
  return area(points, colour);
}

/** Growth without its sign, which the arrow shows. */
export const growth = (change: number | undefined) => (change === undefined ? '' : percent(Math.abs(change), Math.abs(change) < 0.1 ? 1 : 0));

/** The change of a rate in percentage points, without its sign. */
export const points = (change: number | undefined) => (change === undefined ? '' : `${percent(Math.abs(change)).replace(' %', '')} pts`);

/** A text for a panel without data. */
export const emptyText = ({ x, y, width, height }: Frame, text: string): Shape[] => [
  write(x + width / 2, y + height / 2 + 2, text, { size: 8, fill: FAINT, anchor: 'middle' }),
];
