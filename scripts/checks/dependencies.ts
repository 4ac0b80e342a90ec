// Checks dependencies: each must have a licence that the project may be distributed with, a fixed content, and no install script that package.json
// does not name.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

export type LockedPackage = { license?: string; integrity?: string; link?: boolean; inBundle?: boolean; hasInstallScript?: boolean; optional?: boolean };
export type Lock = { packages: Record<string, LockedPackage> };

/** Licences that require no more than a notice. */
const LICENCES = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC-BY-4.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
  'Zlib',
]);

/** Packages with another licence, or whose package.json states none. */
const NAMED: [name: RegExp, licence: string, why: string][] = [
  [/^@img\/sharp-/, 'LGPL-3.0-or-later', 'libvips is a shared library of its own, which a user can replace'],
  [/^(axe-core|ical\.js)$/, 'MPL-2.0', 'used unchanged, in tests'],
  [/^dejavu-fonts-ttf$/, 'SEE LICENSE IN README.md AND LICENSE', 'the licence of Bitstream Vera allows embedding'],
  [/^argparse$/, 'Python-2.0', 'requires no more than a notice; used by the OpenAPI tools, in development'],
  [/^argparse$/, 'PSF-2.0', 'the same licence under its newer name'],
  [/^png-js$/, '', 'MIT: its LICENSE file'],
  [/^(humanize-number|only)$/, '', 'MIT: their Readme.md; of s3rver, in tests'],
];

/** One line per fault. `manifest` returns the package.json at a path of the lock file, if the package is installed. */
export function dependencyFaults({ packages }: Lock, allowScripts: Record<string, boolean>, manifest: (at: string) => Manifest | undefined): string[] {
  const faults: string[] = [];
  for (const [at, { license, integrity, link, inBundle, hasInstallScript, optional }] of Object.entries(packages)) {
    if (link || !at.includes('node_modules/')) continue; // of the project itself
    const name = at.slice(at.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const installed = manifest(at);
    if (!installed && !license && optional) continue; // for another platform: checked where it is installed
    const licence = license ?? licenceIn(installed);
    // A bundled package is part of the content of the package that bundles it.
    if (!integrity && !inBundle) faults.push(`${name}: the lock file has no integrity`);
    if (installed && hasInstallScript && !(name in allowScripts)) faults.push(`${name}: has an install script: add it to allowScripts in package.json`);
    if (!isAllowed(licence, name)) faults.push(`${name}: the licence ${licence || 'is unknown and'} is not allowed (scripts/checks/dependencies.ts)`);
  }
  return faults;
}

export type Manifest = { license?: string; licenses?: { type: string }[] };

const licenceIn = (manifest: Manifest | undefined) => manifest?.license ?? manifest?.licenses?.map(({ type }) => type).join(' OR ') ?? '';

/** An SPDX expression without nested parentheses. */
function isAllowed(expression: string, name: string): boolean {
  const isNamed = (licence: string) => NAMED.some(([named, its]) => named.test(name) && its === licence);
  const plain = expression.replaceAll(/[()]/g, '');
  return isNamed(plain) || plain.split(' OR ').some((all) => all.split(' AND ').every((one) => LICENCES.has(one) || isNamed(one)));
}

/** The faults of the project's dependencies. */
export function faultsOfDependencies(project: string): string[] {
  const read = (file: string) => JSON.parse(readFileSync(path.join(project, file), 'utf8'));
  const manifest = (at: string) => (existsSync(path.join(project, at, 'package.json')) ? read(`${at}/package.json`) : undefined);
  return dependencyFaults(read('package-lock.json'), read('package.json').allowScripts, manifest);
}
