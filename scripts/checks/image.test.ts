// deploy/Dockerfile copies the operators' scripts with everything that they import, but not the demo clinic and the simulators.
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { PROJECT } from '../schemas.ts';

const DEMO = /demo|seed|simulator/;

/** Files in scripts/ that a stage of the Dockerfile copies. */
function copied(stage: string): string[] {
  const [, text = ''] = readFileSync(path.join(PROJECT, 'deploy/Dockerfile'), 'utf8').split(new RegExp(`^FROM .* AS ${stage}$`, 'm'));
  const lines = [...(text.split(/^FROM /m)[0] ?? '').matchAll(/^COPY (scripts.*) \S+$/gm)];
  const patterns = lines.flatMap(([, sources = '']) => sources.split(' ')).flatMap((one) => [one, `${one}/**/*.ts`]);
  return globSync(patterns, { cwd: PROJECT }).filter((file) => /(?<!\.test)\.[jt]s$/.test(file));
}

/** The files and all files in scripts/ that they import. */
function withImports(files: string[]): string[] {
  const all = new Set(files);
  for (const file of all) {
    for (const [, to = ''] of readFileSync(path.join(PROJECT, file), 'utf8').matchAll(/(?:from |import\()'(\.[^']+)'/g)) {
      const imported = path.join(path.dirname(file), to);
      if (imported.startsWith('scripts/')) all.add(imported);
    }
  }
  return [...all].sort();
}

test("the image contains the operators' scripts with their imports, and neither simulators nor the demo clinic", () => {
  const files = copied('product').sort();
  expect(files).toEqual(expect.arrayContaining(['scripts/run.js', 'scripts/ops/migrate.ts']));
  expect(withImports(files)).toEqual(files);
  expect(files.filter((file) => DEMO.test(file))).toEqual([]);
});

test('the image of the demo profile adds only the scripts that create the demo clinic', () => {
  const added = copied('demo');
  expect(added).toContain('scripts/dev/seed-demo.ts');
  expect(withImports(added).filter((file) => !copied('product').includes(file))).toEqual(added.sort());
  expect(added.filter((file) => !DEMO.test(file))).toEqual([]);
});

// `npm sbom`, which comes next in the Dockerfile, fails if one remains.
test('the Dockerfile removes the development dependencies of every workspace from the manifests', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'clinic-manifests-'));
  try {
    const manifests = globSync(['package.json', '{proto,lib,gateway,sdk}/package.json', 'services/*/package.json'], { cwd: PROJECT });
    for (const manifest of manifests) cpSync(path.join(PROJECT, manifest), path.join(folder, manifest));
    const [, command = ''] = /(npm pkg delete .*?) \\$/m.exec(readFileSync(path.join(PROJECT, 'deploy/Dockerfile'), 'utf8')) ?? [];
    execFileSync('sh', ['-c', command], { cwd: folder });
    expect(manifests).toContain('sdk/package.json');
    expect(manifests.filter((manifest) => /devDependencies/.test(readFileSync(path.join(folder, manifest), 'utf8')))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("every image has a version, and the product's image that of the release", () => {
  const read = (file: string) => readFileSync(path.join(PROJECT, file), 'utf8');
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const used = globSync(['deploy/compose.yaml', 'deploy/k8s/**/*.yaml'], { cwd: PROJECT }).flatMap((file) =>
    [...read(file).matchAll(/^\s*(?:- )?(?:image|imageName): (.*)$/gm)].map(([, image = '']) => /^\$\{\w+:-(.*)\}$/.exec(image)?.[1] ?? image),
  );
  expect(used.length).toBeGreaterThan(15);
  // On Kubernetes, the kustomization sets name and version.
  const others = used.filter((image) => image !== 'clinic-management');
  expect(others.filter((image) => !/:v?\d+\.\d+/.test(image))).toEqual([]);
  expect(others.filter((image) => image.startsWith('clinic-management'))).toEqual([`clinic-management:${version}`, `clinic-management-demo:${version}`]);
  expect(read('deploy/k8s/base/kustomization.yaml')).toContain(`newTag: ${version}\n`);
});
