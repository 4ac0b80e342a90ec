// Bars with a name before and an amount behind them: doctors, procedures, chairs.
import { FAINT, INK, TRACK } from './palette.ts';
import type { Frame } from './panel.ts';
import { box, fit, type Shape, write } from './shapes.ts';

/** A `rest` has no bar, since it is of many. */
export type Bar = { name: string; value: number; told: string; rest?: boolean };

const ROW = 15.6;

/** How many bars there is room for. */
export const roomFor = ({ height }: Frame) => Math.floor(height / ROW);

/** Bars from the top; `whole` is the value of a full one, shown as a track when it is given. */
export function bars(frame: Frame, some: Bar[], colour: string, whole?: number): Shape[] {
  const { x, y, width } = frame;
  const most = whole ?? Math.max(...some.map(({ value, rest }) => (rest ? 0 : value)), 1);
  const names = width * 0.36;
  const amounts = 56;
  const room = width - names - amounts;
  return some.slice(0, roomFor(frame)).flatMap(({ name, value, told, rest }, index) => {
    const top = y + index * ROW;
    const long = rest ? 0 : Math.max(0, Math.min(1, value / most)) * room;
    return [
      write(x, top + 9.5, fit(name, names - 8, 8), { size: 8, fill: rest ? FAINT : INK }),
      ...(whole === undefined ? [] : [box(x + names, top + 2, room, 9, { fill: TRACK, radius: 2 })]),
      ...(long > 0 ? [box(x + names, top + 2, Math.max(long, 1), 9, { fill: colour, radius: 2, hint: `${name}: ${told}` })] : []),
      write(x + width, top + 9.5, told, { size: 8, weight: 'bold', fill: value > 0 && !rest ? INK : FAINT, anchor: 'end' }),
    ];
  });
}
