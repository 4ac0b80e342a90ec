// Tests each check of the manifests: with one change to valid objects, it must report the fault. When no kustomize is installed, the objects are
// those of the files, so that the checks themselves are tested everywhere.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { IHTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1';
import type { ICronJob } from 'kubernetes-models/batch/v1';
import type { IIngress } from 'kubernetes-models/networking.k8s.io/v1';
import { openApiDocument } from '../../gateway/openapi/document.ts';
import { areas } from '../../gateway/routes/areas.ts';
import { PROJECT } from '../schemas.ts';
import { BESIDE_THE_POOL, connectionFaults, connectionsWanted, GATEWAY_CONNECTIONS } from './kubernetes-capacity.ts';
import { buildOverlay, documents, FOLDER, type KubeObject, OVERLAYS, ofKind, processes, readObjects } from './kubernetes-objects.ts';
import { programs } from './kubernetes-programs.ts';
import { fieldsAgainstTypes, valuesAgainstSchema } from './kubernetes-schema.ts';
import { budgetFaults, callFaults, denialFaults, entryFaults, hardeningFaults, type Program, scalingFaults, settingFaults } from './kubernetes-wiring.ts';

type Tree = Record<string, never> & KubeObject;

const overlays = new Map<string, KubeObject[] | undefined>(OVERLAYS.map((overlay) => [overlay, buildOverlay(PROJECT, overlay)]));
overlays.set('gateway-api', buildOverlay(PROJECT, 'production', 'gateway-api'));
const built = overlays.get('production') !== undefined;
const whereBuilt = built ? test : test.skip;
let known: Program[];

beforeAll(async () => {
  known = await programs();
});

/** The objects of an overlay, with a change to the first object of that kind and name. */
function changed(overlay: string, kind: string, name: string, change: (object: Tree) => unknown): KubeObject[] {
  const objects = structuredClone(overlays.get(overlay) ?? []);
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (!found) throw new Error(`${overlay} has no ${kind} ${name}`);
  change(found as Tree);
  return objects;
}

/** Sets the value at the path. */
function set(object: object, at: string, value: unknown): void {
  const names = at.split('.');
  const last = names.pop() as string;
  const place = names.reduce((inner, name) => inner[name] as Record<string, unknown>, object as Record<string, unknown>);
  place[last] = value;
}

const CONTAINER = 'spec.template.spec.containers.0';

whereBuilt('operators’ commands are given the settings of the installation, such as where files of patients are stored', () => {
  const commands = OVERLAYS.flatMap((overlay) => ofKind<ICronJob>(overlays.get(overlay) ?? [], 'CronJob'));
  expect(commands.length).toBeGreaterThan(3);
  for (const { spec } of commands)
    expect(spec?.jobTemplate.spec?.template.spec?.containers.map(({ envFrom }) => envFrom)).toEqual([[{ configMapRef: { name: 'clinic-settings' } }]]);
});

describe.each([...overlays.keys()])('%s', (overlay) => {
  whereBuilt('is as it should be', async () => {
    const objects = overlays.get(overlay) ?? [];
    expect(objects.length).toBeGreaterThan(30);
    expect(await valuesAgainstSchema(objects)).toEqual([]);
    expect(fieldsAgainstTypes(PROJECT, objects)).toEqual([]);
    for (const faults of [settingFaults(objects, known), callFaults(objects, known)]) expect(faults).toEqual([]);
    for (const faults of [
      hardeningFaults(objects),
      budgetFaults(objects),
      scalingFaults(objects),
      denialFaults(objects),
      entryFaults(objects),
      connectionFaults(overlay, objects),
    ])
      expect(faults).toEqual([]);
  });
});

test('the objects in the files are valid for the API', async () => {
  const objects = readObjects(PROJECT);
  expect(objects.length).toBeGreaterThan(40);
  expect(await valuesAgainstSchema(objects)).toEqual([]);
});

test('a value that the API refuses', async () => {
  const [bad] = documents('{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {ports: [{port: "eighty"}]}}');
  expect(await valuesAgainstSchema([bad as KubeObject])).toEqual([expect.stringContaining('Service /a')]);
  const [unknown] = documents('{apiVersion: apps/v1, kind: Deploymint, metadata: {name: a}}');
  expect(await valuesAgainstSchema([unknown as KubeObject])).toHaveLength(1);
  const [cluster] = documents('{apiVersion: postgresql.cnpg.io/v1, kind: Cluster, metadata: {name: a}, spec: {instances: many, storage: {size: 1Gi}}}');
  expect(await valuesAgainstSchema([cluster as KubeObject])).toHaveLength(1);
});

whereBuilt('a field that the API does not know', () => {
  const deployments = changed('production', 'Deployment', 'scheduling', (object) => set(object, `${CONTAINER}.readynessProbe`, { grpc: { port: 7000 } }));
  const poolers = changed('production', 'Pooler', 'pooler', (object) => set(object, 'spec.pgbouncer.poolmode', 'transaction'));
  expect(fieldsAgainstTypes(PROJECT, [...deployments, ...poolers])).toEqual([
    expect.stringMatching(/Deployment clinic\/scheduling.*readynessProbe/),
    expect.stringMatching(/Pooler clinic-data\/pooler.*poolmode/),
  ]);
});

describe('connections', () => {
  test('in addition to the pools are counted as the code opens them', () => {
    const source = (file: string) => readFileSync(path.join(PROJECT, file), 'utf8');
    expect(source('services/messaging/app.ts')).toContain(`DELIVERY_STORE_CONNECTIONS = ${BESIDE_THE_POOL.messaging};`);
    expect(source('gateway/limits/store.ts')).toContain(`max: ${GATEWAY_CONNECTIONS},`);
  });

  whereBuilt('are services × pods × pools, with the one more of a rollout', () => {
    const wanted = connectionsWanted(overlays.get('production') ?? []);
    expect(wanted.get('scheduling')).toBe((6 + 1) * (8 + 4));
    expect(wanted.get('messaging')).toBe((4 + 1) * (8 + 4 + 2));
    expect(wanted.get('gateway')).toBe((6 + 1) * 4);
    expect([...wanted.keys()].sort()).toEqual(known.map(({ name }) => name).sort());
  });

  whereBuilt('that are too many for the database, or for the poolers', () => {
    const pool = changed('single', 'ConfigMap', 'clinic-settings', (object) => set(object, 'data.DATABASE_POOL', '40'));
    expect(connectionFaults('single', pool)).toEqual([expect.stringMatching(/may open \d+ connections .*max_connections is 200/)]);
    const pods = changed('production', 'HorizontalPodAutoscaler', 'scheduling', (object) => set(object, 'spec.maxReplicas', 60));
    expect(connectionFaults('production', pods)).toEqual([expect.stringContaining('with one pooler unavailable the others accept 600')]);
    const poolers = changed('production', 'Pooler', 'pooler', (object) => set(object, 'spec.instances', 9));
    expect(connectionFaults('production', poolers)).toEqual([expect.stringContaining('max_connections is 250')]);
    const none = (overlays.get('single') ?? []).filter(({ kind }) => kind !== 'StatefulSet');
    expect(connectionFaults('single', none)).toHaveLength(1);
  });
});

describe('settings', () => {
  whereBuilt('that are missing, unknown or refused', () => {
    const missing = changed('single', 'Deployment', 'identity', (object) => set(object, `${CONTAINER}.env`, []));
    expect(settingFaults(missing, known)).toEqual(expect.arrayContaining(['identity: is not given JWT_PRIVATE_KEYS, which it requires']));
    const unknown = changed('single', 'ConfigMap', 'clinic-settings', (object) => set(object, 'data.DATABASE_POOOL', '10'));
    expect(settingFaults(unknown, known)).toEqual(['ConfigMap clinic-settings: no process knows DATABASE_POOOL']);
    const refused = changed('single', 'ConfigMap', 'clinic-settings', (object) => set(object, 'data.TRUST_PROXY', 'one'));
    expect(settingFaults(refused, known)).toEqual(['gateway: refuses the value of TRUST_PROXY']);
    const stray = changed('single', 'Deployment', 'dental', (object) => set(object, `${CONTAINER}.env.0.name`, 'NATS_ADDRESS'));
    expect(settingFaults(stray, known)).toContain('dental: does not know the setting NATS_ADDRESS');
  });
});

describe('calls', () => {
  whereBuilt('that are forbidden though made, or allowed though never made', () => {
    const at = 'spec.ingress.0.from.0.podSelector.matchExpressions.0.values';
    const closed = changed('single', 'NetworkPolicy', 'calls-of-identity', (object) => set(object, at, ['gateway']));
    expect(callFaults(closed, known)).toContain('NetworkPolicy calls-of-identity: scheduling calls identity, which the policy denies');
    const open = changed('single', 'NetworkPolicy', 'calls-of-platform', (object) => set(object, at, ['gateway', 'identity', 'messaging', 'intruder']));
    expect(callFaults(open, known)).toContain('NetworkPolicy calls-of-platform: intruder never calls platform, which the policy allows');
    const balanced = changed('single', 'Service', 'dental', (object) => set(object, 'spec.clusterIP', undefined));
    expect(callFaults(balanced, known)).toEqual([expect.stringContaining('Service dental: is not headless')]);
  });

  whereBuilt('to the DNS of the cluster are allowed, and to no other DNS server', () => {
    const policies = JSON.stringify((overlays.get('production') ?? []).filter(({ kind }) => kind === 'NetworkPolicy'));
    expect(policies).toContain('"podSelector":{"matchLabels":{"k8s-app":"kube-dns"}}');
  });

  whereBuilt('without a denial of all others', () => {
    const objects = (overlays.get('production') ?? []).filter(({ kind, metadata }) => kind !== 'NetworkPolicy' || metadata.name !== 'default-deny');
    expect(denialFaults(objects).sort()).toEqual([
      'namespace clinic-data: does not deny connections by default',
      'namespace clinic: does not deny connections by default',
    ]);
  });
});

describe('the public entry', () => {
  whereBuilt('by Gateway API is in place of the Ingress, and streams have no time limit', () => {
    const objects = overlays.get('gateway-api') ?? [];
    expect(objects.filter(({ kind }) => kind === 'Ingress')).toEqual([]);
    const [route] = ofKind<IHTTPRoute>(objects, 'HTTPRoute').filter(({ metadata }) => metadata.name === 'gateway');
    const unlimited = route?.spec.rules?.filter(({ timeouts }) => timeouts?.request === '0s').flatMap(({ matches = [] }) => matches);
    const { paths } = openApiDocument(areas, 'https://clinic.example.com');
    const streams = Object.entries(paths).filter(([, methods]) => JSON.stringify(methods).includes('"text/event-stream"'));
    expect(streams.length).toBeGreaterThan(1);
    expect(unlimited?.map(({ path }) => path?.value).toSorted()).toEqual(streams.map(([path]) => path).toSorted());
  });

  test('accepts the largest upload', () => {
    const [ingress] = ofKind<IIngress>(readObjects(PROJECT), 'Ingress');
    const mebibytes = Number(/^(\d+)m$/.exec(ingress?.metadata?.annotations?.['nginx.ingress.kubernetes.io/proxy-body-size'] ?? '')?.[1]);
    const uploads = areas.flatMap(({ routes }) => routes.flatMap(({ request }) => request?.upload?.maxBytes ?? request?.raw?.maxBytes ?? []));
    expect(uploads.length).toBeGreaterThan(3);
    expect(mebibytes * 1024 * 1024).toBeGreaterThan(Math.max(...uploads)); // a form is larger than its file
  });

  whereBuilt('that leads nowhere', () => {
    const to = 'spec.rules.0.backendRefs.0.port';
    expect(entryFaults(changed('gateway-api', 'HTTPRoute', 'gateway', (object) => set(object, to, 8080)))).toEqual(['no Service gateway has the port 8080']);
    const from = 'spec.parentRefs.0.sectionName';
    expect(entryFaults(changed('gateway-api', 'HTTPRoute', 'to-https', (object) => set(object, from, 'web')))).toEqual([
      'HTTPRoute to-https: there is no listener public/web',
    ]);
    expect(entryFaults((overlays.get('single') ?? []).filter(({ kind }) => kind !== 'Ingress'))).toEqual([
      'neither an Ingress nor a route leads to the gateway',
    ]);
  });
});

whereBuilt.each([
  ['spec.template.spec.securityContext.runAsNonRoot', false, 'may run as root'],
  ['spec.template.spec.securityContext.seccompProfile', undefined, 'may make any system call'],
  ['spec.template.spec.automountServiceAccountToken', true, "has a token for the cluster's API"],
  [`${CONTAINER}.securityContext.allowPrivilegeEscalation`, undefined, 'may gain privileges'],
  [`${CONTAINER}.securityContext.readOnlyRootFilesystem`, false, 'may write to its root file system'],
  [`${CONTAINER}.securityContext.capabilities`, {}, 'does not drop all capabilities'],
  [`${CONTAINER}.resources`, {}, 'does not declare its resources'],
  [`${CONTAINER}.image`, 'registry.example.com/clinic-management', 'has an image without a version'],
  [`${CONTAINER}.startupProbe`, undefined, 'has no readiness or startup probe'],
])('a pod with %s as %j', (at, value, fault) => {
  expect(hardeningFaults(changed('production', 'Deployment', 'billing', (object) => set(object, at, value)))).toEqual([`Deployment billing: ${fault}`]);
});

whereBuilt('an autoscaler that adds pods while they are idle, or has no Deployment', () => {
  const target = 'spec.metrics.0.resource.target';
  const share = changed('production', 'HorizontalPodAutoscaler', 'gateway', (object) => set(object, target, { type: 'Utilization', averageUtilization: 70 }));
  expect(scalingFaults(share)).toEqual([expect.stringMatching(/^HorizontalPodAutoscaler gateway: adds pods when they use only 0\.\d+ cores$/)]);
  const gone = changed('production', 'HorizontalPodAutoscaler', 'dental', (object) => set(object, 'spec.scaleTargetRef.name', 'dentist'));
  expect(scalingFaults(gone)).toEqual(['HorizontalPodAutoscaler dental: there is no Deployment dentist']);
});

whereBuilt('several pods without a budget', () => {
  const objects = (overlays.get('production') ?? []).filter(({ kind }) => kind !== 'PodDisruptionBudget');
  expect(budgetFaults(objects).sort()).toEqual(processes(objects).map(({ metadata }) => `${metadata.name}: has several pods and no PodDisruptionBudget`));
  expect(budgetFaults(objects)).toHaveLength(7);
});

test('the nightly backup deletes old backups only, and not the archives of the audit logs beside them', () => {
  const backup = ofKind<ICronJob>(readObjects(PROJECT), 'CronJob').find(({ metadata }) => metadata.name === 'backup');
  const [script = ''] = backup?.spec?.jobTemplate.spec?.template.spec?.containers[0]?.args ?? [];
  const folder = mkdtempSync(path.join(os.tmpdir(), 'clinic-backups-'));
  try {
    for (const name of ['2026-01-01', '2026-01-02.partial', 'audit', 'audit/scheduling']) {
      mkdirSync(path.join(folder, name));
      utimesSync(path.join(folder, name), new Date('2026-01-01'), new Date('2026-01-01'));
    }
    utimesSync(path.join(folder, 'audit'), new Date('2026-01-01'), new Date('2026-01-01'));
    mkdirSync(path.join(folder, '2026-02-01'));
    execFileSync('sh', ['-c', script.replace(/node .* &&/, '').replaceAll('/backups', folder)]);
    expect(readdirSync(folder).toSorted()).toEqual(['2026-02-01', 'audit']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('patches and values of charts are not read as objects', () => {
  const kinds = readObjects(PROJECT).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  expect(kinds).not.toContain('Deployment every-process');
  expect(new Set(kinds)).toContain('Deployment gateway');
  expect(FOLDER).toBe('deploy/k8s');
});
