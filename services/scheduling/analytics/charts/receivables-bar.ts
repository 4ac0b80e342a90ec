// Receivables by age: one bar in parts, with a legend.

import { money, percent } from './format.ts';
import { AGES, FAINT, TRACK } from './palette.ts';
import type { Frame } from './panel.ts';
import { box, type Shape, write } from './shapes.ts';

/** `receivables` from not due to the oldest. */
export function receivablesBar({ x, y, width }: Frame, receivables: { name: string; cents: bigint }[], currency: string): Shape[] {
  const total = receivables.reduce((sum, { cents }) => (cents > 0n ? sum + cents : sum), 0n);
  const shapes: Shape[] = [box(x, y, width, 14, { fill: TRACK, radius: 3 })];
  let left = x;
  for (const [index, { name, cents }] of receivables.entries()) {
    if (cents <= 0n) continue;
    const wide = (Number(cents) / Number(total)) * width;
    shapes.push(box(left, y, wide, 14, { fill: AGES[index] ?? FAINT, hint: `${name}: ${money(cents, currency)}` }));
    left += wide;
  }
  const column = width / receivables.length;
  for (const [index, { name, cents }] of receivables.entries()) {
    const at = x + index * column;
    shapes.push(
      box(at, y + 23, 6, 6, { fill: AGES[index] ?? FAINT, radius: 1 }),
      write(at + 9, y + 28.5, name, { size: 7, fill: FAINT }),
      write(at + 9, y + 39, money(cents, currency), { size: 8, weight: 'bold' }),
      write(at + 9, y + 48, cents > 0n ? percent(Number(cents) / Number(total), 0) : '', { size: 7, fill: FAINT }),
    );
  }
  return shapes;
}
