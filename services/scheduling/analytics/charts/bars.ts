// Horizontal bars with a name on the left and a value on the right.
import { FAINT, INK, TRACK } from './palette.ts';
import type { Frame } from './panel.ts';
import { box, fit, type Shape, write } from './shapes.ts';

/** `label` is the value as text. `rest` sums several values, and has no bar. */
export type Bar = { name: string; value: number; label: string; rest?: boolean };

const ROW = 15.6;

/** How many bars fit. */
export const capacityOf = ({ height }: Frame) => Math.floor(height / ROW);

/** Bars from the top. `whole` is the value of a full bar, by default the largest; when given, full bars are drawn as a background. */
export function bars(frame: Frame, some: Bar[], colour: string, whole?: number): Shape[] {
  const { x, y, width } = frame;
  const most = whole ?? Math.max(...some.map(({ value, rest }) => (rest ? 0 : value)), 1);
  const names = width * 0.36;
  const amounts = 56;
  const full = width - names - amounts;
  return some.slice(0, capacityOf(frame)).flatMap(({ name, value, label, rest }, index) => {
    const top = y + index * ROW;
    const long = rest ? 0 : Math.max(0, Math.min(1, value / most)) * full;
    return [
      write(x, top + 9.5, fit(name, names - 8, 8), { size: 8, fill: rest ? FAINT : INK }),
      ...(whole === undefined ? [] : [box(x + names, top + 2, full, 9, { fill: TRACK, radius: 2 })]),
      ...(long > 0 ? [box(x + names, top + 2, Math.max(long, 1), 9, { fill: colour, radius: 2, hint: `${name}: ${label}` })] : []),
      write(x + width, top + 9.5, label, { size: 8, weight: 'bold', fill: value > 0 && !rest ? INK : FAINT, anchor: 'end' }),
    ];
  });
}
