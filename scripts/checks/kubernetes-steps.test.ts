// The steps of docs/kubernetes.md, run as they are written, in their order, on a model of an empty cluster: each is sufficient.
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { tempFolder } from '../dev/temp-folder.ts';
import { PROJECT } from '../schemas.ts';
import { apply, type Model, missing, reachFaults } from './kubernetes-model.ts';
import { buildOverlay, type KubeObject, OVERLAYS, processes, templateOf } from './kubernetes-objects.ts';

const page = readFileSync(path.join(PROJECT, 'docs/kubernetes.md'), 'utf8');
const kubectl = spawnSync('sh', ['-c', 'command -v kubectl'], { encoding: 'utf8' }).stdout.trim();
const whereInstalled = kubectl === '' ? test.skip : test;

const folder = tempFolder('kubernetes-steps');
const [cluster, secrets] = [path.join(folder, 'cluster.json'), path.join(folder, 'secrets')];
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  for (const file of [cluster, secrets]) rmSync(file, { recursive: true, force: true });
});

/** The commands of a section of the page. */
function steps(section: string): string {
  const text = page.split(/^## /m).find((part) => part.startsWith(`${section}\n`)) ?? '';
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block);
  expect(blocks.length).toBeGreaterThan(0);
  return blocks.join('');
}

const program = (name: string, text: string) => {
  writeFileSync(path.join(folder, name), `#!/bin/sh\n${text}\n`);
  chmodSync(path.join(folder, name), 0o755);
};

/** Runs commands in the root of the project, with secrets in a folder of the test, and returns what they wrote to the standard error. */
function run(commands: string): { status: number | null; errors: string } {
  program('kubectl', `exec '${process.execPath}' '${path.join(PROJECT, 'scripts/checks/testing/kubectl.ts')}' "$@"`);
  // The chart makes a StatefulSet and a Service, which need the Secret and the ConfigMap of its values.
  program('helm', `echo '${JSON.stringify(CHART)}' | '${path.join(folder, 'kubectl')}' apply -f -`);
  const env = {
    ...process.env,
    PATH: `${folder}:${process.env.PATH}`,
    CLUSTER: cluster,
    KUBECTL: kubectl,
    NODE_OPTIONS: '',
    ACCESS_KEY_ID: 'a',
    SECRET_ACCESS_KEY: 'b',
  };
  const { status, stderr } = spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', commands.replaceAll('deploy/secrets', secrets)], {
    cwd: PROJECT,
    encoding: 'utf8',
    env,
  });
  return { status, errors: stderr.replaceAll(/^npm warn.*\n/gm, '') };
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

const model = (): Model => JSON.parse(readFileSync(cluster, 'utf8'));
const done = { status: 0, errors: '' };
const secretOf = ({ objects }: Model, name: string, key: string) => {
  const found = objects.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === name) as
    | (KubeObject & { data: Record<string, string> })
    | undefined;
  return Buffer.from(found?.data[key] ?? '', 'base64').toString();
};

describe.each(OVERLAYS)('%s', (overlay) => {
  whereInstalled('is installed, released and gone back from by the steps of the page', () => {
    expect(run(steps(overlay))).toEqual(done);
    const installed = model();
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
    expect(run(steps("Operators' commands"))).toEqual(done);
    expect(
      run(
        steps('A release')
          .replaceAll('overlays/production', `overlays/${overlay}`)
          .replace(/^.*nats-users.*$/m, ''),
      ),
    ).toEqual(done);
  });
});

whereInstalled('a changed secret restarts the processes, an unchanged one does not', () => {
  expect(run(steps('single'))).toEqual(done);
  // Two Deployments are enough here.
  const [gateway, identity] = processes(model().objects);
  writeFileSync(cluster, JSON.stringify({ objects: [gateway, identity, ...model().objects.filter(({ kind }) => kind !== 'Deployment')] }));
  const checksums = () => new Set(processes(model().objects).map((one) => templateOf(one)?.metadata?.annotations?.['clinic/secrets']));
  const change = () => {
    expect(run(steps('Secrets'))).toEqual(done);
    const found = [...checksums()];
    expect(found).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    return found[0];
  };
  const first = change();
  expect(change()).toBe(first);
  writeFileSync(path.join(secrets, 'smtp_url'), 'smtps://user:password@mail.example.com\n');
  expect(change()).not.toBe(first);
  expect(secretOf(model(), 'clinic-secrets', 'smtp_url')).toBe('smtps://user:password@mail.example.com');
});

whereInstalled.each([
  ['the namespace', /^kubectl apply -f .*namespace.yaml.*$/m, /there is no namespace clinic/],
  ['the secrets', /^npm run -s kubernetes-secrets.*$/m, /there is no Secret clinic-owner/],
  ['what comes before the processes', /^kubectl apply -k .*kind'$/m, /there is no Job migrate/],
  ['the operator', /^kubectl apply .*cnpg-1.*$/m, /there is no operator for postgresql.cnpg.io/],
  ['the credentials of the bucket', /^kubectl -n clinic-data create secret generic backups.*\\\n.*$/m, /there is no Secret backups/],
])('a step that is left out is noticed: %s', (_what, step, fault) => {
  const { status, errors } = run(steps('production').replace(step, ''));
  expect(status).not.toBe(0);
  expect(errors).toMatch(fault);
});

const wave = ({ metadata }: KubeObject) => Number((metadata as { annotations?: Record<string, string> }).annotations?.['argocd.argoproj.io/sync-wave'] ?? 0);

whereInstalled.each(OVERLAYS)('Argo CD applies %s in an order in which each wave has what it needs', (overlay) => {
  expect(
    run(
      steps(overlay)
        .split('\n')
        .filter((line) => !line.includes('apply -k') && !line.includes('wait'))
        .join('\n'),
    ),
  ).toEqual(done);
  const cluster = model();
  const objects = buildOverlay(PROJECT, overlay) ?? [];
  for (const number of [0, 1, 2]) {
    const now = objects.filter((object) => wave(object) === number);
    expect(now.length).toBeGreaterThan(0);
    expect(apply(cluster, now)).toEqual([]);
    for (const object of now) expect(missing(cluster, object)).toEqual([]);
    for (const job of now.filter(({ kind }) => kind === 'Job'))
      expect(reachFaults(cluster, job, secretOf(cluster, 'clinic-owner', 'database_owner'))).toEqual([]);
  }
  expect(objects.filter((object) => wave(object) === 1).map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(['Job migrate']);
  // Argo CD waits until the objects of a wave are healthy, which an autoscaler is not before its Deployment.
  const after = processes(objects).concat(objects.filter(({ kind }) => kind === 'HorizontalPodAutoscaler') as never[]);
  expect(after.map(wave).every((number) => number === 2)).toBe(true);
});

test('nothing requires zones', () => {
  const required =
    /topologyKey: topology\.kubernetes\.io\/zone\n\s+whenUnsatisfiable: DoNotSchedule|podAntiAffinityType: required|topology\.kubernetes\.io\/zone:\n\s+maxSkew: 1\n\s+whenUnsatisfiable: DoNotSchedule/;
  const files = ['overlays/production/database/cluster.yaml', 'overlays/production/nats-values.yaml', 'base/every-process.yaml'];
  for (const file of files) expect(readFileSync(path.join(PROJECT, 'deploy/k8s', file), 'utf8')).not.toMatch(required);
});
