// Validates every object against the schema of the Kubernetes API, without a cluster: values with the validators of kubernetes-models, and names of
// fields, which these do not check, with the TypeScript compiler.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type KubeObject, nameOf } from './kubernetes-objects.ts';
import type { Fault } from './source.ts';

type Model = new (object: KubeObject) => { validate(): void };

/** Packages with kinds that are not part of Kubernetes, by API group. */
const PACKAGES: Record<string, string> = {
  'postgresql.cnpg.io': '@kubernetes-models/cloudnative-pg',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
};

/** The module of a kind, such as apps/v1 Deployment, v1 Service or postgresql.cnpg.io/v1 Cluster. */
const moduleOf = ({ apiVersion }: KubeObject) => `${PACKAGES[apiVersion.split('/')[0] ?? ''] ?? 'kubernetes-models'}/${apiVersion}`;

/** False for kinds without a published TypeScript schema. */
const isKnown = ({ apiVersion }: KubeObject) => !apiVersion.startsWith('barmancloud.cnpg.io/');

export async function valuesAgainstSchema(objects: KubeObject[]): Promise<Fault[]> {
  const faults = await Promise.all(
    objects.filter(isKnown).map(async (object) => {
      try {
        const { [object.kind]: Known } = (await import(`${moduleOf(object)}/${object.kind}`)) as Record<string, Model>;
        if (!Known) return [`${nameOf(object)}: there is no such kind in ${object.apiVersion}`];
        new Known(object).validate();
        return [];
      } catch (error) {
        return [`${nameOf(object)}: ${(error as Error).message}`];
      }
    }),
  );
  return faults.flat();
}

const COMPILE = '--noEmit --strict --skipLibCheck --module nodenext --moduleResolution nodenext --target esnext --types node --ignoreConfig --pretty false';

/** Checks all objects with one run of tsc, whose messages contain the names of the fields. */
export function fieldsAgainstTypes(project: string, all: KubeObject[]): Fault[] {
  const objects = all.filter(isKnown);
  const folder = path.join(project, '.cache', `kubernetes-${process.pid}`);
  const file = path.join(folder, 'objects.ts');
  const lines = objects.map((object, index) => {
    const type = `import('${moduleOf(object)}').I${object.kind}`;
    return `export const o${index}: ${type} = ${JSON.stringify(object)};`;
  });
  mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(file, lines.join('\n'));
    const tsc = path.join(project, 'node_modules', '.bin', 'tsc');
    const { status, stdout } = spawnSync(process.execPath, [tsc, ...COMPILE.split(' '), file], { encoding: 'utf8', cwd: folder });
    if (status === 0) return [];
    return stdout.split('\n').flatMap((line) => {
      const found = /\((\d+),\d+\): error \w+: (.*)/.exec(line);
      const object = objects[Number(found?.[1]) - 1];
      return found && object ? [`${nameOf(object)}: ${found[2]}`] : /error/.test(line) ? [line] : [];
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
