// The commands of docs/operations.md and of the runbooks use existing programs, commands, services and objects.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { PROJECT } from '../schemas.ts';
import { readObjects } from './kubernetes-objects.ts';

const read = (file: string) => readFileSync(path.join(PROJECT, file), 'utf8');
const pages = ['docs/operations.md', 'docs/kubernetes.md', ...globSync('docs/runbooks/*.md', { cwd: PROJECT })];
const commands = pages.flatMap((page) =>
  [...read(page).matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) => block.replaceAll('\\\n', ' ').split('\n')),
);
/** All matches of a pattern in the commands. */
const found = (pattern: RegExp) => [...new Set(commands.flatMap((line) => [...line.matchAll(pattern)].map(([, name = '']) => name)))];

test("npm scripts and operators' commands", () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const programs = found(/npm run (?:-s )?([\w:-]+)/g);
  expect(programs.length).toBeGreaterThan(3);
  expect(programs.filter((name) => !(name in scripts))).toEqual([]);
  const known = [...read('scripts/ops/ops.ts').matchAll(/^ {2}'?([a-z-]+)'?: \['/gm)].map(([, name]) => name);
  const used = found(/(?:npm run ops --|scripts\/run\.js ops) ([a-z][\w-]*)/g);
  expect(used.length).toBeGreaterThan(5);
  expect(used.filter((name) => !known.includes(name))).toEqual([]);
  const [, table = ''] = read('docs/operations.md').split('| command | effect |');
  const listed = [...(table.split('\n\n')[0] ?? '').matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = '']) => [...cell.matchAll(/`([a-z-]+)/g)]);
  expect(new Set(listed.map(([, name]) => name))).toEqual(new Set(known));
});

test('services and profiles of compose', () => {
  const { services } = parse(read('deploy/compose.yaml')) as { services: Record<string, { profiles?: string[] }> };
  const named = [
    ...found(/docker compose .* run --rm (?:-T )?(?:--entrypoint \S+ )?([\w-]+)/g),
    ...found(/docker compose .* logs (?:-\S+ (?:\S+ )?)*([a-z][\w-]*)(?: \||$)/g),
  ];
  expect(named).toEqual(expect.arrayContaining(['ops', 'gateway', 'nats']));
  expect(named.filter((name) => !(name in services))).toEqual([]);
  const profiles = Object.values(services).flatMap((service) => service.profiles ?? []);
  expect(found(/--profile (\w+)/g).filter((name) => !profiles.includes(name))).toEqual([]);
});

test('components and objects of Kubernetes', () => {
  const objects = readObjects(PROJECT);
  const components = objects.map(({ metadata }) => metadata.labels?.['app.kubernetes.io/component']);
  // `controller` belongs to ingress-nginx.
  const named = found(/-l app\.kubernetes\.io\/component=([\w-]+)/g).filter((name) => name !== 'controller');
  expect(named.length).toBeGreaterThan(2);
  expect(named.filter((name) => !components.includes(name))).toEqual([]);
  const crons = objects.filter(({ kind }) => kind === 'CronJob').map(({ metadata }) => metadata.name);
  expect(found(/cronjob\/([\w-]+)/g)).toEqual(['ops']);
  expect(crons).toContain('ops');
  expect(found(/-k (deploy\/\S+)/g).filter((folder) => !globSync(path.join(PROJECT, folder, 'kustomization.yaml')).length)).toEqual([]);
});

test('every link of the page has a target', () => {
  for (const page of pages) {
    for (const [, file = '', anchor] of read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)) {
      const target = file === '' ? page : path.join(path.dirname(page), file);
      const headings = [...(target.endsWith('.md') ? read(target) : '').matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
        text
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N} -]/gu, '')
          .replaceAll(' ', '-'),
      );
      if (anchor !== undefined) expect({ page, target, anchor: headings.includes(anchor) ? anchor : headings }).toEqual({ page, target, anchor });
    }
  }
});
