// Horizontal bars with a name on the left and a value on the right.
import { FAINT, INK, TRACK } from './palette.ts';
import type { Frame } from './panel.ts';
import { box, type Shape, widthOf, wrap, write } from './shapes.ts';

/** `label` is the value as text. `rest` sums several values, and has no bar. */
export type Bar = { name: string; value: number; label: string; rest?: boolean };

const ROW = 15.6;
const SIZE = 8;
const SMALL = 6.5;
const SPACE = 8;

/** How many bars fit. */
export const capacityOf = ({ height }: Frame) => Math.floor(height / ROW);

/** Bars from the top. `whole` is the value of a full bar, by default the largest; when given, full bars are drawn as a background. */
export function bars(frame: Frame, some: Bar[], colour: string, whole?: number): Shape[] {
  const { x, y, width } = frame;
  const most = whole ?? Math.max(...some.map(({ value, rest }) => (rest ? 0 : value)), 1);
  const shown = some.slice(0, capacityOf(frame));
  const longest = Math.max(0, ...shown.map(({ name }) => widthOf(name, SIZE) + SPACE));
  const names = Math.min(Math.max(longest, width * 0.36), width * 0.58);
  const amounts = 56;
  const full = width - names - amounts;
  return shown.flatMap(({ name, value, label, rest }, index) => {
    const top = y + index * ROW;
    const long = rest ? 0 : Math.max(0, Math.min(1, value / most)) * full;
    return [
      ...nameOf(x, top, name, names - SPACE, rest ? FAINT : INK),
      ...(whole === undefined ? [] : [box(x + names, top + 2, full, 9, { fill: TRACK, radius: 2 })]),
      ...(long > 0 ? [box(x + names, top + 2, Math.max(long, 1), 9, { fill: colour, radius: 2, hint: `${name}: ${label}` })] : []),
      write(x + width, top + 9.5, label, { size: 8, weight: 'bold', fill: value > 0 && !rest ? INK : FAINT, anchor: 'end' }),
    ];
  });
}

/** On two smaller lines when it is too long for one. */
function nameOf(x: number, top: number, name: string, width: number, fill: string): Shape[] {
  if (widthOf(name, SIZE) <= width) return [write(x, top + 9.5, name, { size: SIZE, fill })];
  const lines = wrap(name, width * 0.94, SMALL, 2);
  return lines.map((line, index) => write(x, top + (lines.length === 1 ? 9 : 5.6) + index * 7.2, line, { size: SMALL, fill }));
}
