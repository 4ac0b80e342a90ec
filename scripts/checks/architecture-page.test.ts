// docs/architecture.md lists exactly the modules of the tree.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { PROJECT, SERVICES } from '../schemas.ts';

const PARENTS = [...SERVICES.map((name) => `services/${name}`), 'gateway', 'lib', 'scripts'];
const NO_MODULES = ['migrations', 'testing', 'node_modules'];

test('the page lists every module and no other', () => {
  const page = readFileSync(path.join(PROJECT, 'docs/architecture.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `([^`]+\/[^`]+)` \| \S/gm)].map(([, folder]) => folder);
  const present = PARENTS.flatMap((parent) =>
    readdirSync(path.join(PROJECT, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !NO_MODULES.includes(entry.name))
      .map(({ name }) => `${parent}/${name}`),
  );
  expect(listed.toSorted()).toEqual(present.toSorted());
});

test('a service has at most six files at its root, and a service.ts of at most 60 lines', () => {
  for (const service of SERVICES) {
    const root = path.join(PROJECT, 'services', service);
    const files = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.length).toBeLessThanOrEqual(6);
    expect(readFileSync(path.join(root, 'service.ts'), 'utf8').split('\n').length).toBeLessThanOrEqual(61);
  }
});
