import { expect, test } from '@jest/globals';
import { PROJECT } from '../schemas.ts';
import { dependencyFaults, faultsOfDependencies, type LockedPackage, type Manifest } from './dependencies.ts';

const faultsOf = (locked: LockedPackage, { name = 'left', manifest = {} as Manifest | null, allow = {} } = {}) =>
  dependencyFaults(
    { packages: { '': {}, 'services/x': {}, [`node_modules/a/node_modules/${name}`]: { integrity: 'sha512', ...locked } } },
    allow,
    () => manifest ?? undefined,
  );

test('a licence that requires more than a notice, or is not stated', () => {
  const refused = (licence: string) => [`left: the licence ${licence} is not allowed (scripts/checks/dependencies.ts)`];
  for (const licence of ['GPL-3.0-only', 'AGPL-3.0', 'MIT AND GPL-2.0-only', 'UNLICENSED', 'LGPL-3.0-or-later'])
    expect(faultsOf({ license: licence })).toEqual(refused(licence));
  expect(faultsOf({})).toEqual(refused('is unknown and'));
  for (const licence of ['MIT', '(MIT OR GPL-2.0-only)', '(Apache-2.0 AND BSD-3-Clause)']) expect(faultsOf({ license: licence })).toEqual([]);
  expect(faultsOf({}, { manifest: { licenses: [{ type: 'MIT' }] } })).toEqual([]);
  expect(faultsOf({ license: 'Apache-2.0 AND LGPL-3.0-or-later AND MIT' }, { name: '@img/sharp-wasm32' })).toEqual([]);
});

test('an install script that package.json does not name, and content without integrity in the lock file', () => {
  expect(faultsOf({ license: 'MIT', hasInstallScript: true })).toEqual(['left: has an install script: add it to allowScripts in package.json']);
  expect(faultsOf({ license: 'MIT', hasInstallScript: true }, { allow: { left: false } })).toEqual([]);
  expect(faultsOf({ license: 'MIT', integrity: '' })).toEqual(['left: the lock file has no integrity']);
});

test('a package for another platform is checked only where it is installed', () => {
  expect(faultsOf({ optional: true }, { manifest: null })).toEqual([]);
  expect(faultsOf({ optional: true })).toHaveLength(1);
});

test('the dependencies of the project', () => {
  expect(faultsOfDependencies(PROJECT)).toEqual([]);
});
