// docs/security.md lists every requirement of levels 1 and 2 in order, and refers to tests and pages that exist. The limits of the plans, to which it
// refers, are in docs/api.md.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PLANS, type Plan, STORAGE_BYTES } from '@clinic/lib/formats/plans.ts';
import { expect, test } from '@jest/globals';
import { FEATURES, termsOf } from '../../services/identity/plans/plans-rules.ts';
import { PROJECT } from '../schemas.ts';

/** For each section of ASVS 5.0, the number of requirements of levels 1 and 2, which come first. V10 and V17 do not apply at all. */
const REQUIREMENTS: Record<string, number> = {
  ...{ '1.1': 2, '1.2': 9, '1.3': 11, '1.4': 3, '1.5': 2, '2.1': 3, '2.2': 3, '2.3': 4, '2.4': 1 },
  ...{ '3.2': 2, '3.3': 4, '3.4': 6, '3.5': 5, '3.7': 2, '4.1': 3, '4.2': 1, '4.3': 2, '4.4': 4, '5.1': 1, '5.2': 3, '5.3': 2, '5.4': 3 },
  ...{ '6.1': 3, '6.2': 12, '6.3': 4, '6.4': 4, '6.5': 5, '6.6': 3, '6.8': 4, '7.1': 3, '7.2': 4, '7.3': 2, '7.4': 5, '7.5': 2, '7.6': 2 },
  ...{ '8.1': 2, '8.2': 3, '8.3': 1, '8.4': 1, '9.1': 3, '9.2': 4, '11.1': 2, '11.2': 3, '11.3': 3, '11.4': 4, '11.5': 1, '11.6': 1 },
  ...{ '12.1': 3, '12.2': 2, '12.3': 4, '13.1': 1, '13.2': 5, '13.3': 2, '13.4': 5, '14.1': 2, '14.2': 4, '14.3': 3 },
  ...{ '15.1': 3, '15.2': 3, '15.3': 7, '16.1': 1, '16.2': 5, '16.3': 4, '16.4': 3, '16.5': 3 },
};

const page = readFileSync(path.join(PROJECT, 'docs/security.md'), 'utf8');
const lines = page.split('\n').filter((line) => /^\| \d+\.\d+\.\d+/.test(line));

test('every requirement has a line', () => {
  const named = new Set<string>();
  for (const line of lines) {
    const [requirements = '', status] = line.split(' | ');
    expect(['met', 'operator', 'clinic', 'n/a', 'open']).toContain(status);
    for (const [, section, from, to = from] of requirements.matchAll(/(\d+\.\d+)\.(\d+)(?: to \d+\.\d+\.(\d+))?/g))
      for (let number = Number(from); number <= Number(to); number++) named.add(`${section}.${number}`);
  }
  const wanted = Object.entries(REQUIREMENTS).flatMap(([section, count]) => Array.from({ length: count }, (_, index) => `${section}.${index + 1}`));
  expect([...named].sort()).toEqual(wanted.sort());
});

test('every link has a target', () => {
  const links = [...page.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(50);
  expect(links.filter((link) => !existsSync(path.join(PROJECT, 'docs', link)))).toEqual([]);
});

test('docs/api.md has what each plan includes', () => {
  const api = readFileSync(path.join(PROJECT, 'docs/api.md'), 'utf8');
  const of = (name: string, cell: (plan: Plan) => string | number) => `| ${[name, ...PLANS.map(cell)].join(' | ')} |`;
  const table = [
    `| | ${PLANS.map((plan) => `\`${plan}\``).join(' | ')} |`,
    of('active doctors', (plan) => termsOf(plan).doctors ?? 'unlimited'),
    of('active users, besides the one who registered the clinic', (plan) => termsOf(plan).users ?? 'unlimited'),
    of('GB of files', (plan) => STORAGE_BYTES[plan] / 1e9),
    ...FEATURES.map((feature) => of(`\`${feature}\``, (plan) => (termsOf(plan).features.includes(feature) ? 'yes' : 'no'))),
  ];
  const [, section = ''] = api.split('\n## Plans\n');
  const lines = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| '));
  expect(lines).toEqual(table);
});
