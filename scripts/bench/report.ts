// Formats the figures as text.
import type { Topology } from './children.ts';
import type { Cost } from './costs.ts';
import type { Compared, Figures } from './measurement.ts';
import { OPERATIONS, type Operation, TITLES } from './requests.ts';
import type { Summary } from './rounds.ts';

export const TOPOLOGY_TITLES: Record<Topology, string> = { single: 'one process', distributed: 'seven processes' };
const AIMS: Record<Topology, number> = { single: 0.8, distributed: 0.5 };
const GROWTH_AIM = 1.2;
const IDLE_AIM_MB = 350;

const count = (value: number) => Math.round(value).toLocaleString('en');
const ms = (value: number) => value.toFixed(value < 10 ? 1 : 0);
const met = (ok: boolean) => (ok ? 'met' : 'missed');

export function report(figures: Figures): string {
  const { machine, options, idle, topologies, growth, statementGrowth } = figures;
  const lines = [
    `${machine.processors} × ${machine.model}, Node ${machine.node}; ${count(options.clinics)} clinics, ${count(options.appointments)} appointments;`,
    `${options.pace.inFlight} in flight, medians of ${options.pace.rounds} rounds of ${options.pace.seconds} s, in turn with the floor`,
  ];
  for (const topology of options.topologies) {
    const compared = topologies[topology];
    if (!compared) continue;
    lines.push('', ...table(topology, compared));
    for (const operation of OPERATIONS) lines.push(...processes(TITLES[operation], compared[operation]));
  }
  if (idle)
    lines.push(
      '',
      `idle, one process: ${count(idle.memoryMb)} MB resident, ${count(idle.heapMb)} MB heap (aim ≤ ${IDLE_AIM_MB} MB: ${met(idle.memoryMb <= IDLE_AIM_MB)})`,
    );
  if (growth) {
    lines.push('', `p99 with ${count(options.appointments)} appointments against 10,000, in turn (aim ≤ ${GROWTH_AIM})`);
    for (const operation of OPERATIONS) {
      const { large, small, p99Ratio } = growth[operation];
      lines.push(
        `  ${TITLES[operation].padEnd(24)}${ms(large.p99).padStart(7)} ms${ms(small.p99).padStart(9)} ms   × ${p99Ratio.toFixed(2)}  ${met(p99Ratio <= GROWTH_AIM)}`,
      );
    }
  }
  if (statementGrowth) {
    const { compared, grown } = statementGrowth;
    lines.push(`  of ${compared} statements that ran on both databases ${grown.length} took at least half as long again:`);
    for (const { role, text, calls, largeMs, smallMs } of grown)
      lines.push(`  ${ms(largeMs)} ms against ${ms(smallMs)}, ${calls} times, ${role}: ${text.trim().replace(/\s+/g, ' ').slice(0, 100)}`);
  }
  lines.push('', ...pieces(figures));
  return lines.join('\n');
}

function table(topology: Topology, compared: Record<Operation, Compared>): string[] {
  const aim = AIMS[topology];
  const head = `${TOPOLOGY_TITLES[topology].padEnd(26)}${'req/s'.padStart(8)}${'p50 ms'.padStart(8)}${'p99 ms'.padStart(8)}   floor${'p50 ms'.padStart(8)}${'p99 ms'.padStart(8)}   ratio  by processor   aim`;
  const lines = OPERATIONS.map((operation) => {
    const { product, floor, ratio, cpuRatio } = compared[operation];
    const figures = (one: Summary) => `${count(one.perSecond).padStart(8)}${ms(one.p50).padStart(8)}${ms(one.p99).padStart(8)}`;
    return `  ${TITLES[operation].padEnd(24)}${figures(product)}${figures(floor)}   ${ratio.toFixed(2).padStart(5)}  ${cpuRatio.toFixed(2).padStart(12)}   ${aim} ${met(ratio >= aim)}`;
  });
  return [head, ...lines];
}

/** Processor time and memory of each process, for the product and for each floor. */
function processes(title: string, { product, floor, hops }: Compared): string[] {
  const line = (summary: Summary) =>
    Object.entries(summary.cpuMicros)
      .map(([name, micros]) => {
        const heap = summary.heapMb[name];
        return `${name} ${summary.cpuSeconds[name]?.toFixed(1)} s, ${count(micros)} µs/req, ${count(summary.memoryMb[name] ?? 0)} MB${heap === undefined ? '' : ` (heap ${count(heap)})`}`;
      })
      .join('; ');
  const own = [`  ${title}: ${line(product)}`, `    floor: ${line(floor)}`];
  return hops ? [...own, `    floor with hops: ${line(hops.floor)}; ratio ${hops.ratio.toFixed(2)}, by processor ${hops.cpuRatio.toFixed(2)}`] : own;
}

function pieces({ costs, limiterMicros }: Figures): string[] {
  const cost = ({ cpu }: Cost) => `${count(cpu)} µs`;
  const difference = (a: Cost, b: Cost) => `${count(a.cpu - b.cpu)} µs (${cost(a)} with it, ${cost(b)} without)`;
  return [
    'cost of single steps of a request, in processor time of Node and PostgreSQL',
    ...(limiterMicros === undefined ? [] : [`  rate limiter              ${count(limiterMicros)} µs`]),
    `  access check              ${cost(costs.accessCheck)}`,
    ...costs.rowSecurity.map(({ statement, withIt, without }) => `  row-level security        ${difference(withIt, without)}, ${statement}`),
    `  audit row of a change     ${cost(costs.audit)}`,
  ];
}
