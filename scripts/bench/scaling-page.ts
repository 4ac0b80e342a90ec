// The tables of docs/scaling.md, from bench-results/day.json and from the assumptions on the page.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT } from '../schemas.ts';
import { sum } from '../statistics.ts';
import { DAY, DAY_KINDS, type DayFigures, type Part } from './day.ts';
import { mixedDay, tablesOf } from './day-tables.ts';

const PAGE = path.join(PROJECT, 'docs/scaling.md');
export const PUBLISHED = path.join(PROJECT, 'bench-results/day.json');

/** The measured figures, and the published figures of the topology that was not measured. */
export function withPublished(measured: DayFigures[]): DayFigures[] {
  const published: DayFigures[] = JSON.parse(readFileSync(PUBLISHED, 'utf8'));
  const others = published.filter(({ topology }) => measured.every((one) => one.topology !== topology));
  return [...measured, ...others].toSorted((a, b) => b.topology.localeCompare(a.topology)); // one process first
}

/** The page with its generated parts. */
export function fillPage(page: string, figures: DayFigures[]): string {
  const fill = (text: string, mark: string, content: string) =>
    text.replace(new RegExp(`(<!-- ${mark} -->\n)[\\s\\S]*?(<!-- /${mark} -->)`), (_, open: string, close: string) => `${open}${content}\n${close}`);
  return fill(fill(page, 'day', figures.map(tablesOf).join('\n\n')), 'model', model(figures, assumptionsOf(page)));
}

type Assumptions = Record<string, number>;

/** `| \`name\` | value | …` */
export const assumptionsOf = (page: string): Assumptions =>
  Object.fromEntries([...page.matchAll(/^\| `([a-z_]+)` \| ([\d.]+) \|/gm)].map(([, name = '', value]) => [name, Number(value)]));

const SIZES = [1_000, 10_000, 100_000];

/** The machines that many clinics need, from the cost of a day at the highest load in seven processes, or in one if only that was measured. */
export function model(figures: DayFigures[], assumptions: Assumptions): string {
  const measured = figures.find(({ topology }) => topology === 'distributed') ?? figures[0];
  if (!measured) return '';
  const { costs, loads } = measured;
  const highest = loads.at(-1);
  if (!highest) return '';
  const of = (name: string) => {
    const value = assumptions[name];
    if (value === undefined) throw new Error(`docs/scaling.md lacks the assumption ${name}`);
    return value;
  };
  const perDay = (part: 'databaseBytes' | 'walBytes') => sum(DAY_KINDS.map((kind) => DAY[kind] * costs[kind][part]));
  const busy = of('hours') * 3_600 * of('utilisation');
  const cores = (part: Part, clinics: number) => (clinics * mixedDay(highest, part) * of('peak')) / busy;
  const rows = SIZES.map((clinics) => {
    const databases = Math.max(
      1,
      Math.ceil(cores('postgres', clinics) / of('database_cores')),
      Math.ceil((clinics * perDay('databaseBytes') * of('days')) / (of('database_disk') * 1e9)),
    );
    const processes = Math.max(7 * databases, Math.ceil(cores('node', clinics)));
    const all = Math.max(2, cores('node', clinics) + cores('nats', clinics)) + databases * of('database_cores') * (1 + of('standbys'));
    const disk = (clinics * perDay('databaseBytes') * of('days')) / 1e9;
    const traffic = (clinics * sum(Object.values(DAY)) * of('bytes') * 30) / 1e9;
    const money = all * of('price_core') + disk * (1 + of('standbys')) * of('price_disk') + traffic * of('price_traffic');
    const count = (value: number) => Math.ceil(value).toLocaleString('en');
    return `| ${count(clinics)} | ${count(processes)} | ${count(cores('node', clinics) + cores('nats', clinics))} | ${count(databases)} | ${count(cores('postgres', clinics))} | ${count(processes * of('pool'))} | ${count(disk)} GB | ${count((clinics * perDay('walBytes')) / 1e9)} GB | ${count(traffic)} GB | ${(money / clinics).toFixed(2)} |`;
  });
  const per = 1 / (cores('node', 1) + cores('postgres', 1) + cores('nats', 1));
  return [
    `A core carries ${Math.floor(per).toLocaleString('en')} clinics under these assumptions.`,
    '',
    '| clinics | processes | their cores | PostgreSQL servers | their busy cores | connections | disk | WAL a day | network a month | USD a clinic and month |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/** The page as it is, and with its generated parts written again. */
export function readPage(): { present: string; filled: string } {
  const present = readFileSync(PAGE, 'utf8');
  return { present, filled: fillPage(present, JSON.parse(readFileSync(PUBLISHED, 'utf8')) as DayFigures[]) };
}

export const writePage = (): void => writeFileSync(PAGE, readPage().filled);
