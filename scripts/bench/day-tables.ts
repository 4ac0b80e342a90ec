// The figures of `npm run bench -- --day` as Markdown tables.

import { median, sum } from '../statistics.ts';
import { type Cost, DAY, DAY_KINDS, type DayFigures, type DayKind, IN_FLIGHT, type KindCost, PARTS, type Part, PIECES } from './day.ts';

/** Processor seconds of a clinic's day in the mix, including a share of the idle use. */
export const mixedDay = ({ rate, processor }: DayFigures['loads'][number], part: Part) => (median(processor[part]) / rate) * PIECES;
const total = (of: (part: Part) => number) => sum(PARTS.map(of));

const spread = (values: number[]) => `${median(values).toFixed(0)} (${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)})`;

function inUseTable(inUse: Record<DayKind, Cost[]>): string[] {
  const totals = (kind: DayKind) => inUse[kind].map((cost) => total((part) => cost[part]));
  const middle = (kind: DayKind, of: keyof Cost) => median(inUse[kind].map((cost) => cost[of]));
  const row = (kind: DayKind) =>
    `| ${kind} | ${median(totals(kind)).toFixed(1)} (${Math.min(...totals(kind)).toFixed(1)}–${Math.max(...totals(kind)).toFixed(1)}) | ` +
    `${PARTS.map((part) => middle(kind, part).toFixed(1)).join(' | ')} | ${(middle(kind, 'walBytes') / 1000).toFixed(1)} kB |`;
  const day = (of: keyof Cost) => sum(DAY_KINDS.map((kind) => DAY[kind] * middle(kind, of)));
  const rounds = inUse.read.length;
  return [
    `| in use, 20 at a time (messages ${IN_FLIGHT.message}), median of ${rounds} rounds (lowest–highest) | processor | Node | PostgreSQL | NATS | WAL |`,
    '|---|---|---|---|---|---|',
    ...DAY_KINDS.map(row),
    `| a clinic's day, of these | ${total(day).toFixed(1)} | ${PARTS.map((part) => day(part).toFixed(1)).join(' | ')} | ${(day('walBytes') / 1e6).toFixed(1)} MB |`,
    '',
  ];
}

/** Markdown: costs by kind, and latencies by load. */
export function tablesOf({ topology, costs, inUse, saturation, loads, machine, date }: DayFigures): string {
  const totalOf = (of: (cost: KindCost) => number) => sum(DAY_KINDS.map((kind) => DAY[kind] * of(costs[kind])));
  const ms = ({ node, postgres, nats }: KindCost) =>
    `${(node + postgres + nats).toFixed(1)} | ${node.toFixed(1)} | ${postgres.toFixed(1)} | ${nats.toFixed(1)}`;
  const day = {
    node: totalOf((cost) => cost.node),
    postgres: totalOf((cost) => cost.postgres),
    nats: totalOf((cost) => cost.nats),
    walBytes: totalOf((cost) => cost.walBytes),
    databaseBytes: totalOf((cost) => cost.databaseBytes),
  };
  return [
    `${topology === 'single' ? 'One process' : 'Seven processes'}, ${machine.processors} × ${machine.model}, Node ${machine.node}, ${date.slice(0, 10)}. Processor time in milliseconds.`,
    '',
    '| alone, 20 a second (reads 200) | a day | processor | Node | PostgreSQL | NATS | database | WAL |',
    '|---|---|---|---|---|---|---|---|',
    ...DAY_KINDS.map(
      (kind) =>
        `| ${kind} | ${DAY[kind]} | ${ms(costs[kind])} | ${(costs[kind].databaseBytes / 1000).toFixed(1)} kB | ${(costs[kind].walBytes / 1000).toFixed(1)} kB |`,
    ),
    `| a clinic's day, of these | | ${ms(day)} | ${(day.databaseBytes / 1e6).toFixed(1)} MB | ${(day.walBytes / 1e6).toFixed(1)} MB |`,
    '',
    ...(inUse ? inUseTable(inUse) : []),
    `Saturation: ${saturation.toFixed(0)} requests and messages a second.`,
    '',
    `| milliseconds from the intended start, median of ${loads[0]?.processor.node.length} rounds (lowest–highest) | ${loads.map(({ share }) => `${share * 100} %: p50 | p99`).join(' | ')} |`,
    `|---|${loads.map(() => '---|---|').join('')}`,
    ...DAY_KINDS.map((kind) => `| ${kind} | ${loads.map(({ latencies }) => `${spread(latencies[kind].p50)} | ${spread(latencies[kind].p99)}`).join(' | ')} |`),
    `| cores in use | ${loads.map(({ processor }) => `${total((part) => median(processor[part])).toFixed(2)} |`).join(' | ')} |`,
    `| most memory, MB of all Node processes | ${loads.map(({ memoryMb }) => `${sum(Object.values(memoryMb)).toFixed(0)} |`).join(' | ')} |`,
    `| **a clinic's day**, seconds of processor | ${loads.map((load) => `${total((part) => mixedDay(load, part)).toFixed(1)} |`).join(' | ')} |`,
  ].join('\n');
}
