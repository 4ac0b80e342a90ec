// The chart of a run: requests per second of the floor and of both topologies, with their share of the floor.
import type { Figures } from './measurement.ts';
import { TOPOLOGY_TITLES } from './report.ts';
import { OPERATIONS, TITLES } from './requests.ts';
import type { Summary } from './rounds.ts';
import { svg, text, WIDTH } from './svg.ts';

type Bar = { name: string; summary: Summary; share?: number; colour: string };

const COLOURS = { floor: '#b8c0cc', single: '#1f6feb', distributed: '#8250df' };
const LEFT = 180;
const RIGHT = 290;
const BAR = 22;
const GAP = 4;
const BETWEEN = 22;
const TOP = 64;

export function chart(figures: Figures): string {
  const groups = OPERATIONS.map((operation) => ({ title: TITLES[operation], bars: barsOf(figures, operation) }));
  const most = Math.max(1, ...groups.flatMap(({ bars }) => bars.map(({ summary }) => summary.perSecond)));
  const parts: string[] = [];
  let y = TOP;
  for (const { title, bars } of groups) {
    parts.push(text(16, y + (bars.length * (BAR + GAP)) / 2 + 2, title, 14));
    for (const bar of bars) {
      parts.push(barSvg(bar, y, most));
      y += BAR + GAP;
    }
    y += BETWEEN;
  }
  const { options, machine } = figures;
  const caption = `${options.clinics.toLocaleString('en')} clinics, ${options.appointments.toLocaleString('en')} appointments, ${options.pace.inFlight} in flight, ${machine.processors} × ${machine.model}`;
  return svg(y + 10, 'Requests a second', [text(16, 26, 'Requests a second, and the share of the floor', 17), text(16, 46, caption, 12, '#57606a'), ...parts]);
}

/** The floor as measured together with the first topology, then the topologies. */
function barsOf({ topologies, options }: Figures, operation: (typeof OPERATIONS)[number]): Bar[] {
  const bars: Bar[] = [];
  for (const topology of options.topologies) {
    const compared = topologies[topology]?.[operation];
    if (!compared) continue;
    if (bars.length === 0) bars.push({ name: 'floor', summary: compared.floor, colour: COLOURS.floor });
    bars.push({ name: TOPOLOGY_TITLES[topology], summary: compared.product, share: compared.ratio, colour: COLOURS[topology] });
  }
  return bars;
}

function barSvg({ name, summary, share, colour }: Bar, y: number, most: number): string {
  const width = Math.max(1, (summary.perSecond / most) * (WIDTH - LEFT - RIGHT));
  const label = `${Math.round(summary.perSecond).toLocaleString('en')}/s  ${name}${share === undefined ? '' : ` × ${share.toFixed(2)}`}, p99 ${summary.p99.toFixed(1)} ms`;
  return `<rect x="${LEFT}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" rx="3" fill="${colour}"/>${text(LEFT + width + 8, y + BAR - 6, label, 12)}`;
}
