// Appointments by weekday and hour: a cell for each, darker for more.

import { counted, WEEK, WEEKDAYS } from './format.ts';
import { FAINT, INK, shade } from './palette.ts';
import type { Frame } from './panel.ts';
import { box, type Shape, write } from './shapes.ts';

export type HourCell = { weekday: number; hour: number; appointments: number };

const LEFT = 24;
const BELOW = 12;
const GAP = 1.5;

export function heatmap({ x, y, width, height }: Frame, cells: HourCell[]): Shape[] {
  const hours = cells.map(({ hour }) => hour);
  const [first, last] = [Math.min(...hours, 8), Math.max(...hours, 17)];
  const most = Math.max(...cells.map(({ appointments }) => appointments), 1);
  const appointmentsAt = new Map(cells.map(({ weekday, hour, appointments }) => [weekday * 24 + hour, appointments]));
  const [wide, high] = [(width - LEFT) / (last - first + 1), (height - BELOW) / 7];
  const shapes: Shape[] = [];
  for (const [row, weekday] of WEEK.entries()) {
    const top = y + row * high;
    shapes.push(write(x, top + high / 2 + 2.5, WEEKDAYS[weekday] ?? '', { size: 7.5, fill: INK }));
    for (let hour = first; hour <= last; hour++) {
      const appointments = appointmentsAt.get(weekday * 24 + hour) ?? 0;
      const hint = `${WEEKDAYS[weekday]} ${hour}:00: ${counted(appointments, 'cita', 'citas')}`;
      const left = x + LEFT + (hour - first) * wide;
      shapes.push(box(left, top, wide - GAP, high - GAP, { fill: shade(appointments / most), radius: 1.5, hint }));
      // A number where the cell is wide enough.
      if (appointments > 0 && wide > 15) {
        const fill = appointments / most > 0.5 ? '#ffffff' : INK;
        shapes.push(write(left + (wide - GAP) / 2, top + high / 2 + 1.8, String(appointments), { size: 6.5, fill, anchor: 'middle' }));
      }
    }
  }
  for (let hour = first; hour <= last; hour++) {
    if ((hour - first) % (last - first > 12 ? 2 : 1) !== 0) continue;
    shapes.push(write(x + LEFT + (hour - first) * wide + (wide - GAP) / 2, y + height - 1, `${hour}h`, { size: 7, fill: FAINT, anchor: 'middle' }));
  }
  return shapes;
}
