// The model of docs/scaling.md, computed from a day and from the assumptions of the page.
import { expect, test } from '@jest/globals';
import { DAY_KINDS, type DayFigures } from './day.ts';
import { dayChart } from './day-chart.ts';
import { assumptionsOf, fillPage, model, readPage, withPublished } from './scaling-page.ts';

const { present: page, filled: current } = readPage();
// A day has 2,405 requests. At 75 a second they use 0.1 cores in Node and 0.15 in PostgreSQL: 8 s a day.
const cost = { node: 1, postgres: 2, nats: 0, walBytes: 1_000, databaseBytes: 100 };
const perKind = <T>(value: T) => Object.fromEntries(DAY_KINDS.map((kind) => [kind, value])) as Record<(typeof DAY_KINDS)[number], T>;
const figures: DayFigures = {
  date: '2026-11-22T00:00:00Z',
  topology: 'distributed',
  machine: { processors: 2, model: 'a processor', memoryMb: 8_000, node: 'v24' },
  idle: { node: 0, postgres: 0, nats: 0 },
  costs: perKind(cost),
  inUse: perKind([cost, { ...cost, postgres: 4 }, cost]),
  saturation: 100,
  loads: [0.25, 0.5, 0.75].map((share) => ({
    share,
    memoryMb: { product: 300 },
    rate: 100 * share,
    processor: { node: [0.1, 0.3, 0.1], postgres: [0.15, 0.1, 0.2], nats: [0, 0, 0] },
    failures: 0,
    latencies: perKind({ p50: [5, 4, 6], p99: [9, 8, 10] }),
  })),
};

test('servers, disk and connections of 1,000, 10,000 and 100,000 clinics', () => {
  const assumptions = { ...assumptionsOf(page), hours: 10, peak: 2, utilisation: 0.5, days: 1_000, pool: 10, database_cores: 16, database_disk: 4_000 };
  const rows = model([figures], assumptions)
    .split('\n')
    .filter((line) => /^\| \d/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  // PostgreSQL at the peak: 1,000 × 4.81 s × 2 / (36,000 s × 0.5) = 0.53 cores.
  expect(rows.map(([, clinics, processes, , servers, busy, connections, disk]) => [clinics, processes, servers, busy, connections, disk])).toEqual([
    ['1,000', '7', '1', '1', '70', '241 GB'],
    ['10,000', '7', '1', '6', '70', '2,405 GB'],
    ['100,000', '49', '7', '54', '490', '24,050 GB'],
  ]);
});

test('the page has the published figures (node scripts/run.js bench/fill-page writes them)', () => {
  expect(current).toBe(page);
});

test('the tables are filled in, with the same result when repeated, and a missing assumption is named in the error', () => {
  const filled = fillPage(page, [figures]);
  expect(filled).toContain('| booking | 40 | 3.0 | 1.0 | 2.0 | 0.0 | 0.1 kB | 1.0 kB |');
  expect(filled).toContain('| booking | 3.0 (3.0–5.0) | 1.0 | 2.0 | 0.0 | 1.0 kB |');
  expect(filled).toContain('| booking | 5 (4–6) | 9 (8–10) |');
  expect(fillPage(filled, [figures])).toBe(filled);
  expect(() => model([figures], {})).toThrow('docs/scaling.md lacks the assumption');
  expect(dayChart([figures])).toContain('2,000 × read');
});

test('published figures of a topology are retained until it is measured again', () => {
  for (const topology of ['single', 'distributed'] as const) {
    const measured = { ...figures, topology };
    const both = withPublished([measured]);
    expect(both.map((one) => one.topology)).toEqual(['single', 'distributed']);
    expect(both.filter((one) => one === measured)).toHaveLength(1);
  }
});
