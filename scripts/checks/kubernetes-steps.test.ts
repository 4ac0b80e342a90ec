// Runs the steps of docs/kubernetes.md as they are written and in their order on a model of an empty cluster: they are complete.
import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { tempFolder } from '../dev/temp-folder.ts';
import { PROJECT } from '../schemas.ts';
import { apply, missing, reachFaults } from './kubernetes-model.ts';
import { buildOverlay, type KubeObject, OVERLAYS, processes, templateOf } from './kubernetes-objects.ts';
import { type Cluster, startCluster } from './testing/kubectl.ts';

const page = readFileSync(path.join(PROJECT, 'docs/kubernetes.md'), 'utf8');
const kubectl = spawnSync('sh', ['-c', 'command -v kubectl'], { encoding: 'utf8' }).stdout.trim();
const whereInstalled = kubectl === '' ? test.skip : test;

const folder = tempFolder('kubernetes-steps');
const secrets = path.join(folder, 'secrets');
let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster(kubectl);
  program('kubectl', cluster.program);
  // The chart creates a StatefulSet and a Service, which need the Secret and the ConfigMap of its values.
  program('helm', `#!/bin/sh\necho '${JSON.stringify(CHART)}' | '${path.join(folder, 'kubectl')}' apply -f -\n`);
});
afterAll(() => {
  cluster.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  cluster.model = { objects: [] };
  rmSync(secrets, { recursive: true, force: true });
});

/** The commands of a section of the page. */
function steps(section: string): string {
  const text = page.split(/^## /m).find((part) => part.startsWith(`${section}\n`)) ?? '';
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block);
  expect(blocks.length).toBeGreaterThan(0);
  return blocks.join('');
}

const { scripts } = JSON.parse(readFileSync(path.join(PROJECT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
/** The same commands with the scripts of package.json, without the time that npm itself takes. */
const withoutNpm = (commands: string) => commands.replaceAll(/npm run -s (\S+) --/g, (_all, name: string) => (scripts[name] ?? name).replace(/^exec /, ''));

const program = (name: string, text: string) => {
  writeFileSync(path.join(folder, name), text);
  chmodSync(path.join(folder, name), 0o755);
};

/** Runs commands in the root of the project, with secrets in a folder of the test. Returns their standard error. */
async function run(commands: string): Promise<{ status: number; errors: string }> {
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}`, NODE_OPTIONS: '', ACCESS_KEY_ID: 'a', SECRET_ACCESS_KEY: 'b' };
  const line = ['--norc', '-euo', 'pipefail', '-c', commands.replaceAll('deploy/secrets', secrets)];
  const ended: Promise<{ code?: number; stderr: string }> = promisify(execFile)('bash', line, { cwd: PROJECT, env });
  const { code = 0, stderr } = await ended.catch((error) => error);
  return { status: code, errors: stderr.replaceAll(/^npm warn.*\n/gm, '') };
}

const CHART = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'nats', namespace: 'clinic-data' },
  spec: {
    template: {
      metadata: { labels: { 'app.kubernetes.io/name': 'nats' } },
      spec: { containers: [], volumes: [{ projected: { sources: [{ configMap: { name: 'nats-users' } }, { secret: { name: 'nats' } }] } }] },
    },
  },
};

const done = { status: 0, errors: '' };
const secretOf = ({ objects }: Cluster['model'], name: string, key: string) => {
  const found = objects.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === name) as
    | (KubeObject & { data: Record<string, string> })
    | undefined;
  return Buffer.from(found?.data[key] ?? '', 'base64').toString();
};

describe.each(OVERLAYS)('%s', (overlay) => {
  whereInstalled('is installed, released and gone back from by the steps of the page', async () => {
    expect(await run(steps(overlay))).toEqual(done);
    const installed = structuredClone(cluster.model);
    expect(processes(installed.objects)).toHaveLength(7);
    for (const object of installed.objects) expect(missing(installed, object)).toEqual([]);
    for (const { metadata, spec } of processes(installed.objects)) {
      const deployment = installed.objects.find((one) => one.kind === 'Deployment' && one.metadata.name === metadata.name) as KubeObject;
      for (const { valueFrom } of spec?.template.spec?.containers[0]?.env ?? []) {
        const { key = '' } = valueFrom?.secretKeyRef ?? {};
        if (/^(database|nats)_/.test(key)) expect(reachFaults(installed, deployment, secretOf(installed, 'clinic-secrets', key))).toEqual([]);
      }
    }
    const commands = installed.objects.filter(({ kind }) => kind === 'CronJob');
    expect(commands.length).toBeGreaterThanOrEqual(2);
    for (const command of commands)
      for (const key of ['database_owner', 'nats_ops']) expect(reachFaults(installed, command, secretOf(installed, 'clinic-owner', key))).toEqual([]);
    expect(await run(steps("Operators' commands"))).toEqual(done);
    expect(
      await run(
        steps('A release')
          .replaceAll('overlays/production', `overlays/${overlay}`)
          .replace(/^.*nats-users.*$/m, ''),
      ),
    ).toEqual(done);
  });
});

whereInstalled('a changed secret restarts the processes, an unchanged one does not', async () => {
  expect(await run(withoutNpm(steps('single')))).toEqual(done);
  // Two Deployments are enough here.
  const { objects } = cluster.model;
  cluster.model.objects = [...processes(objects).slice(0, 2), ...objects.filter(({ kind }) => kind !== 'Deployment')];
  const checksums = () => new Set(processes(cluster.model.objects).map((one) => templateOf(one)?.metadata?.annotations?.['clinic/secrets']));
  const change = async () => {
    expect(await run(withoutNpm(steps('Secrets')))).toEqual(done);
    const found = [...checksums()];
    expect(found).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    return found[0];
  };
  const first = await change();
  expect(await change()).toBe(first);
  writeFileSync(path.join(secrets, 'smtp_url'), 'smtps://user:password@mail.example.com\n');
  expect(await change()).not.toBe(first);
  expect(secretOf(cluster.model, 'clinic-secrets', 'smtp_url')).toBe('smtps://user:password@mail.example.com');
});

whereInstalled.each([
  ['the namespace', /^kubectl apply -f .*namespace.yaml.*$/m, /there is no namespace clinic/],
  ['the secrets', /^npm run -s kubernetes-secrets.*$/m, /there is no Secret clinic-owner/],
  ['what comes before the processes', /^kubectl apply -k .*kind'$/m, /there is no Job migrate/],
  ['the operator', /^kubectl apply .*cnpg-1.*$/m, /there is no operator for postgresql.cnpg.io/],
  ['the credentials of the bucket', /^kubectl -n clinic-data create secret generic backups.*\\\n.*$/m, /there is no Secret backups/],
])('a missing step is detected: %s', async (_what, step, fault) => {
  const { status, errors } = await run(withoutNpm(steps('production').replace(step, '')));
  expect(status).not.toBe(0);
  expect(errors).toMatch(fault);
});

const wave = ({ metadata }: KubeObject) => Number((metadata as { annotations?: Record<string, string> }).annotations?.['argocd.argoproj.io/sync-wave'] ?? 0);

whereInstalled.each(OVERLAYS)('Argo CD applies %s in an order in which each wave has what it needs', async (overlay) => {
  expect(
    await run(
      withoutNpm(steps(overlay))
        .split('\n')
        .filter((line) => !line.includes('apply -k') && !line.includes('wait'))
        .join('\n'),
    ),
  ).toEqual(done);
  const { model } = cluster;
  const objects = buildOverlay(PROJECT, overlay) ?? [];
  for (const number of [0, 1, 2, 3]) {
    const now = objects.filter((object) => wave(object) === number);
    expect(now.length).toBeGreaterThan(0);
    expect(apply(model, now)).toEqual([]);
    for (const object of now) expect(missing(model, object)).toEqual([]);
    for (const job of now.filter(({ kind }) => kind === 'Job')) expect(reachFaults(model, job, secretOf(model, 'clinic-owner', 'database_owner'))).toEqual([]);
  }
  const namesOf = (found: KubeObject[]) => found.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted();
  expect(namesOf(objects.filter((object) => wave(object) === 1))).toEqual(['Job migrate']);
  // The same Deployments are the first by hand.
  const first = processes(objects).filter(({ metadata }) => metadata.labels?.['clinic/first']);
  expect(namesOf(first)).toEqual(['Deployment dental', 'Deployment scheduling']);
  expect(namesOf(processes(objects).filter((object) => wave(object) === 2))).toEqual(namesOf(first));
  // Argo CD waits until the objects of a wave are healthy, and an autoscaler is not healthy before its Deployment exists.
  const after = processes(objects).concat(objects.filter(({ kind }) => kind === 'HorizontalPodAutoscaler') as never[]);
  expect(after.map(wave).every((number) => number === 3 || number === 2)).toBe(true);
  expect(after.filter(({ kind }) => kind !== 'Deployment').every((object) => wave(object) === 3)).toBe(true);
});

test('nothing requires zones', () => {
  const required =
    /topologyKey: topology\.kubernetes\.io\/zone\n\s+whenUnsatisfiable: DoNotSchedule|podAntiAffinityType: required|topology\.kubernetes\.io\/zone:\n\s+maxSkew: 1\n\s+whenUnsatisfiable: DoNotSchedule/;
  const files = ['overlays/production/database/cluster.yaml', 'overlays/production/nats-values.yaml', 'base/every-process.yaml'];
  for (const file of files) expect(readFileSync(path.join(PROJECT, 'deploy/k8s', file), 'utf8')).not.toMatch(required);
});
