// The chart of a clinic's day: processor time by kind.
import { sum } from '../statistics.ts';
import { DAY, DAY_KINDS, type DayFigures } from './day.ts';
import { TOPOLOGY_TITLES } from './report.ts';
import { svg, text, WIDTH } from './svg.ts';

const LEFT = 150;
const RIGHT = 130;
const BAR = 20;
const PARTS = [
  ['node', 'Node', '#1f6feb'],
  ['postgres', 'PostgreSQL', '#8250df'],
  ['nats', 'NATS', '#bf8700'],
] as const;

export function dayChart(figures: DayFigures[]): string {
  const seconds = (one: DayFigures, kind: (typeof DAY_KINDS)[number], part: (typeof PARTS)[number][0]) =>
    Math.max(0, (DAY[kind] * one.costs[kind][part]) / 1000);
  const total = (one: DayFigures, kind: (typeof DAY_KINDS)[number]) => sum(PARTS.map(([part]) => seconds(one, kind, part)));
  const most = Math.max(...figures.flatMap((one) => DAY_KINDS.map((kind) => total(one, kind))));
  const legend = PARTS.map(([, title, colour], place) => bar(420 + place * 120, 14, 12, 12, colour) + text(438 + place * 120, 25, title, 12));
  const lines = [text(16, 26, "Processor seconds of a clinic's day", 17), ...legend];
  let y = 56;
  for (const one of figures) {
    lines.push(text(16, y, `${TOPOLOGY_TITLES[one.topology]}, ${one.machine.processors} × ${one.machine.model}`, 12));
    y += 12;
    for (const kind of DAY_KINDS) {
      lines.push(text(16, y + 15, `${DAY[kind].toLocaleString('en')} × ${kind}`, 13));
      let x = LEFT;
      for (const [part, , colour] of PARTS) {
        const width = (seconds(one, kind, part) / most) * (WIDTH - LEFT - RIGHT);
        lines.push(bar(x, y, width, BAR, colour));
        x += width;
      }
      lines.push(text(x + 8, y + 15, `${total(one, kind).toFixed(2)} s`, 12));
      y += BAR + 4;
    }
    y += 26;
  }
  return svg(y, "Processor seconds of a clinic's day", lines);
}

const bar = (x: number, y: number, width: number, height: number, colour: string) =>
  `<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${height}" fill="${colour}"/>`;
