// The objects of deploy/k8s: as kustomize builds an overlay, if it is installed, and as they are in the files.
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { IDeployment } from 'kubernetes-models/apps/v1';
import type { IConfigMap, IPodTemplateSpec } from 'kubernetes-models/v1';
import { parse, parseAllDocuments } from 'yaml';

export type KubeObject = { apiVersion: string; kind: string; metadata: { name: string; namespace?: string; labels?: Record<string, string> } };

export const FOLDER = 'deploy/k8s';
export const OVERLAYS = ['single', 'production'];
export const COMPONENTS = ['gateway-api'];

/** Overlays are built by the first of these that is installed. */
const BUILDERS: [command: string, args: string[]][] = [
  ['kubectl', ['kustomize']],
  ['kustomize', ['build']],
];

/** Every object of an overlay with a component; undefined when no builder is installed. Throws the builder's error when the overlay cannot be built. */
export function buildOverlay(project: string, overlay: string, component?: string): KubeObject[] | undefined {
  const folder = path.join(project, FOLDER, 'overlays', overlay);
  if (component === undefined) return build(folder);
  const above = path.join(project, '.cache', `kubernetes-${process.pid}-${overlay}`);
  mkdirSync(above, { recursive: true });
  try {
    const at = (...names: string[]) => path.relative(above, path.join(project, FOLDER, ...names));
    const kustomization = { kind: 'Kustomization', resources: [at('overlays', overlay)], components: [at('components', component)] };
    writeFileSync(path.join(above, 'kustomization.yaml'), JSON.stringify(kustomization));
    return build(above);
  } finally {
    rmSync(above, { recursive: true, force: true });
  }
}

function build(folder: string): KubeObject[] | undefined {
  for (const [command, args] of BUILDERS) {
    const { error, status, stdout, stderr } = spawnSync(command, [...args, folder], { encoding: 'utf8' });
    if (error) continue; // not installed
    if (status !== 0) throw new Error(stderr.trim());
    return documents(stdout);
  }
  return undefined;
}

/** Every object of the files, except patches, which are only parts of objects. */
export function readObjects(project: string): KubeObject[] {
  const folder = path.join(project, FOLDER);
  const files = globSync('**/*.yaml', { cwd: folder }).sort();
  const patches = files.filter(isKustomization).flatMap((file) => patchesOf(folder, file));
  return files
    .filter((file) => !isKustomization(file) && !patches.includes(file) && !file.endsWith('-values.yaml'))
    .flatMap((file) => documents(readFileSync(path.join(folder, file), 'utf8')));
}

const isKustomization = (file: string) => path.basename(file) === 'kustomization.yaml';

function patchesOf(folder: string, file: string): string[] {
  const { patches = [] } = parse(readFileSync(path.join(folder, file), 'utf8')) as { patches?: { path?: string }[] };
  return patches.flatMap((patch) => (patch.path ? [path.join(path.dirname(file), patch.path)] : []));
}

export function documents(text: string): KubeObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [error] = document.errors;
    if (error) throw error;
    return document.contents === null ? [] : [document.toJS() as KubeObject];
  });
}

export const nameOf = ({ kind, metadata }: KubeObject) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;

/** The settings of all processes. */
export const sharedSettings = (objects: KubeObject[]) =>
  ofKind<IConfigMap>(objects, 'ConfigMap').find(({ metadata }) => metadata.name === 'clinic-settings')?.data ?? {};

/** The template of an object's pods. */
export function templateOf(object: KubeObject): IPodTemplateSpec | undefined {
  const { template, jobTemplate } = (object as { spec?: { template?: IPodTemplateSpec; jobTemplate?: { spec?: { template?: IPodTemplateSpec } } } }).spec ?? {};
  return jobTemplate?.spec?.template ?? (['Deployment', 'StatefulSet', 'DaemonSet', 'Job'].includes(object.kind) ? template : undefined);
}

/** The objects of one kind, with the type that the caller names. */
export const ofKind = <T>(objects: KubeObject[], kind: string): (T & KubeObject)[] => objects.filter((object) => object.kind === kind) as (T & KubeObject)[];

/** The Deployments of the product's processes. */
export function processes(objects: KubeObject[]): (IDeployment & KubeObject)[] {
  return ofKind<IDeployment>(objects, 'Deployment').filter(({ metadata }) => metadata.labels?.['clinic/kind'] !== undefined);
}
