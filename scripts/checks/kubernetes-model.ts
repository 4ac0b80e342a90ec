// A model of a cluster for checking documented steps: which objects exist after others were applied, and whether a pod could run.
import type { INetworkPolicy, INetworkPolicyPeer } from 'kubernetes-models/networking.k8s.io/v1';
import { type KubeObject, nameOf, ofKind, templateOf } from './kubernetes-objects.ts';
import type { Fault } from './source.ts';

export type Model = { objects: KubeObject[] };

const NAMESPACES = ['cnpg-system', 'cert-manager', 'kube-system', 'default'];

/** The labels of CloudNativePG's pods, which network policies select. */
const STORES: Record<string, Record<string, string>> = {
  Cluster: { 'cnpg.io/cluster': 'database' },
  Pooler: { 'cnpg.io/poolerName': 'pooler' },
};

/** Adds objects as the Kubernetes API does, each into an existing namespace. Returns the reasons for which it would refuse them. */
export function apply(model: Model, objects: KubeObject[]): Fault[] {
  const faults: Fault[] = [];
  // kubectl applies namespaces first.
  for (const object of [...objects].sort((one, other) => Number(other.kind === 'Namespace') - Number(one.kind === 'Namespace'))) {
    const { namespace } = object.metadata;
    const exists = NAMESPACES.includes(namespace ?? '') || model.objects.some(({ kind, metadata }) => kind === 'Namespace' && metadata.name === namespace);
    if (object.kind !== 'Namespace' && namespace !== undefined && !exists) faults.push(`${nameOf(object)}: there is no namespace ${namespace}`);
    const group = object.apiVersion.split('/')[0] ?? '';
    if (group.endsWith('cnpg.io') && !model.objects.some(({ kind, metadata }) => kind === 'Operator' && metadata.name === group))
      faults.push(`${nameOf(object)}: there is no operator for ${group}`);
    model.objects = [...model.objects.filter((one) => nameOf(one) !== nameOf(object)), object];
  }
  return faults;
}

/** The Secrets and their keys, ConfigMaps, volumes and ServiceAccounts that the pods of an object need and that do not exist. */
export function missing(model: Model, object: KubeObject): Fault[] {
  const { namespace } = object.metadata;
  const find = (kind: string, name: string) =>
    model.objects.find((one) => one.kind === kind && one.metadata.name === name && one.metadata.namespace === namespace) as
      | (KubeObject & { data?: Record<string, string> })
      | undefined;
  const faults: Fault[] = [];
  const need = (kind: string, name: string | undefined, key?: string) => {
    const found = name === undefined ? undefined : find(kind, name);
    if (!found) faults.push(`${nameOf(object)}: there is no ${kind} ${name}`);
    else if (key !== undefined && found.data?.[key] === undefined) faults.push(`${nameOf(object)}: ${kind} ${name} has no ${key}`);
  };
  const pod = templateOf(object)?.spec;
  if (pod?.serviceAccountName && pod.serviceAccountName !== 'default') need('ServiceAccount', pod.serviceAccountName);
  for (const { env = [], envFrom = [] } of pod?.containers ?? []) {
    for (const { valueFrom } of env) if (valueFrom?.secretKeyRef) need('Secret', valueFrom.secretKeyRef.name, valueFrom.secretKeyRef.key);
    for (const { configMapRef } of envFrom) if (configMapRef) need('ConfigMap', configMapRef.name);
  }
  for (const volume of pod?.volumes ?? []) {
    if (volume.secret) need('Secret', volume.secret.secretName);
    if (volume.persistentVolumeClaim) need('PersistentVolumeClaim', volume.persistentVolumeClaim.claimName);
    for (const { secret, configMap } of volume.projected?.sources ?? []) {
      if (secret) need('Secret', secret.name);
      if (configMap) need('ConfigMap', configMap.name);
    }
  }
  // CloudNativePG creates the pods of a Cluster.
  const cluster = object as unknown as { kind: string; spec: { superuserSecret?: { name: string }; plugins?: { parameters: { barmanObjectName: string } }[] } };
  if (cluster.kind === 'Cluster') {
    need('Secret', cluster.spec.superuserSecret?.name);
    for (const { parameters } of cluster.spec.plugins ?? []) need('ObjectStore', parameters.barmanObjectName);
  }
  const store = object as unknown as { kind: string; spec: { configuration: { s3Credentials: Record<string, { name: string; key: string }> } } };
  if (store.kind === 'ObjectStore') for (const { name, key } of Object.values(store.spec.configuration.s3Credentials)) need('Secret', name, key);
  return faults;
}

/** The reasons why the pods of an object cannot reach the server of a URL: it does not exist, or a network policy denies the connection. */
export function reachFaults(model: Model, object: KubeObject, url: string): Fault[] {
  const { hostname, port } = new URL(url);
  const [host = '', namespace = object.metadata.namespace ?? ''] = hostname.split('.');
  const target = model.objects
    .filter(({ metadata }) => metadata.namespace === namespace)
    .flatMap((one) => {
      const labels = STORES[one.kind];
      if (labels && (one.metadata.name === host || `${one.metadata.name}-rw` === host)) return [labels];
      return one.kind === 'StatefulSet' && one.metadata.name === host ? [(templateOf(one)?.metadata?.labels ?? {}) as Record<string, string>] : [];
    })[0];
  if (!target) return [`${nameOf(object)}: there is no ${hostname}`];
  const from = { namespace: object.metadata.namespace ?? '', labels: (templateOf(object)?.metadata?.labels ?? {}) as Record<string, string> };
  const to = { namespace, labels: target };
  const allowed = permits(model, from, to, 'Egress', port) && permits(model, to, from, 'Ingress', port);
  return allowed ? [] : [`${nameOf(object)}: network policies deny connections to ${hostname}:${port}`];
}

type Place = { namespace: string; labels: Record<string, string> };

/** Whether network policies allow `own` to connect to `other` (Egress), or `other` to connect to `own` (Ingress), at this port of the server. */
function permits(model: Model, own: Place, other: Place, direction: 'Egress' | 'Ingress', port: string): boolean {
  const policies = ofKind<INetworkPolicy>(model.objects, 'NetworkPolicy').filter(
    ({ metadata, spec }) => metadata.namespace === own.namespace && matches(spec?.podSelector, own.labels) && spec?.policyTypes?.includes(direction),
  );
  if (policies.length === 0) return true;
  return policies
    .flatMap(({ spec }) =>
      direction === 'Egress'
        ? (spec?.egress ?? []).map(({ to, ports }) => ({ peers: to, ports }))
        : (spec?.ingress ?? []).map(({ from, ports }) => ({ peers: from, ports })),
    )
    .some(
      ({ peers, ports }) =>
        (ports === undefined || ports.some((one) => String(one.port) === port)) && (peers === undefined || peers.some((peer) => isPeer(peer, own, other))),
    );
}

function isPeer({ namespaceSelector, podSelector, ipBlock }: INetworkPolicyPeer, own: Place, other: Place): boolean {
  if (ipBlock) return false; // the addresses of pods are private
  const inNamespace = namespaceSelector ? matches(namespaceSelector, { 'kubernetes.io/metadata.name': other.namespace }) : own.namespace === other.namespace;
  return inNamespace && matches(podSelector, other.labels);
}

type Selector = { matchLabels?: Record<string, string>; matchExpressions?: { key: string; operator: string; values?: string[] }[] };

function matches(selector: Selector | undefined, labels: Record<string, string>): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => operator === 'In' && values.includes(labels[key] ?? ''))
  );
}
