// Compares the manifests with the code: the settings of each process and the services that it calls. Also checks the hardening of pods, disruption
// budgets, autoscalers and the public entry.
import type { IGateway, IHTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1';
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import type { IIngress, INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1';
import type { IContainer, IService } from 'kubernetes-models/v1';
import type { z } from 'zod';
import { type KubeObject, ofKind, processes, sharedSettings, templateOf } from './kubernetes-objects.ts';
import type { Fault } from './source.ts';

/** A process as defined in the code: its settings with their schemas, and the services that it calls. */
export type Program = { name: string; settings: Record<string, z.ZodType>; calls: string[] };

/** Each process must receive every setting that it requires, no unknown one, and only values that it accepts. */
export function settingFaults(objects: KubeObject[], programs: Program[]): Fault[] {
  const shared = sharedSettings(objects);
  const nobody = Object.keys(shared).filter((name) => !programs.some(({ settings }) => name in settings));
  const faults = nobody.map((name) => `ConfigMap clinic-settings: no process knows ${name}`);
  for (const { name, settings } of programs) {
    const deployment = processes(objects).find(({ metadata }) => metadata.name === name);
    const env = deployment?.spec?.template.spec?.containers[0]?.env ?? [];
    const own = new Set(env.map((variable) => variable.name));
    for (const variable of own) if (!(variable in settings)) faults.push(`${name}: does not know the setting ${variable}`);
    for (const [setting, schema] of Object.entries(settings)) {
      const value = env.find((variable) => variable.name === setting)?.value ?? shared[setting];
      if (value === undefined && !own.has(setting) && !schema.safeParse(undefined).success) faults.push(`${name}: is not given ${setting}, which it requires`);
      // The content of files in pods cannot be checked here.
      if (value !== undefined && !setting.endsWith('_FILE') && !schema.safeParse(value).success) faults.push(`${name}: refuses the value of ${setting}`);
    }
  }
  return faults;
}

/** The gRPC port of a service, behind a headless Service, must be open to its callers in the code and to no other process. */
export function callFaults(objects: KubeObject[], programs: Program[]): Fault[] {
  const services = ofKind<IService>(objects, 'Service');
  const policies = ofKind<INetworkPolicy>(objects, 'NetworkPolicy');
  return programs
    .filter(({ name }) => name !== 'gateway')
    .flatMap(({ name }) => {
      const wanted = programs.filter(({ calls }) => calls.includes(name)).map((caller) => caller.name);
      const allowed = callersOf(name, policies);
      const service = services.find(({ metadata }) => metadata.name === name);
      return [
        ...wanted
          .filter((caller) => !allowed.includes(caller))
          .map((caller) => `NetworkPolicy calls-of-${name}: ${caller} calls ${name}, which the policy denies`),
        ...allowed
          .filter((caller) => !wanted.includes(caller))
          .map((caller) => `NetworkPolicy calls-of-${name}: ${caller} never calls ${name}, which the policy allows`),
        ...(service?.spec?.clusterIP === 'None' ? [] : [`Service ${name}: is not headless, so that one pod would receive all calls of a client`]),
      ];
    });
}

function callersOf(name: string, policies: (INetworkPolicy & KubeObject)[]): string[] {
  return policies
    .filter(({ spec }) => spec?.podSelector?.matchLabels?.['app.kubernetes.io/component'] === name)
    .flatMap(({ spec }) => spec?.ingress ?? [])
    .filter(({ ports }) => ports?.some(({ port }) => port === 'grpc'))
    .flatMap(({ from }) => from ?? [])
    .flatMap(({ podSelector }) => podSelector?.matchExpressions?.flatMap(({ values }) => values ?? []) ?? []);
}

/** Pods must have no unnecessary rights, and must declare their resources and probes. */
export function hardeningFaults(objects: KubeObject[]): Fault[] {
  return objects.filter(templateOf).flatMap((object) => {
    const spec = templateOf(object)?.spec;
    const pod = spec?.securityContext;
    const faults = [
      !pod?.runAsNonRoot && 'may run as root',
      pod?.seccompProfile?.type !== 'RuntimeDefault' && 'may make any system call',
      spec?.automountServiceAccountToken !== false && "has a token for the cluster's API",
      ...(spec?.containers ?? []).flatMap((container) => containerFaults(container, /^(Job|CronJob)$/.test(object.kind))),
    ];
    return faults.filter((fault) => typeof fault === 'string').map((fault) => `${object.kind} ${object.metadata.name}: ${fault}`);
  });
}

function containerFaults({ image = '', securityContext, resources, readinessProbe, startupProbe }: IContainer, ends: boolean): (string | false)[] {
  return [
    !/:[\w.-]*\d|@sha256:/.test(image) && 'has an image without a version',
    securityContext?.allowPrivilegeEscalation !== false && 'may gain privileges',
    !securityContext?.readOnlyRootFilesystem && 'may write to its root file system',
    !securityContext?.capabilities?.drop?.includes('ALL') && 'does not drop all capabilities',
    !(resources?.requests?.cpu && resources.requests.memory && resources.limits?.memory) && 'does not declare its resources',
    !ends && !(readinessProbe && startupProbe) && 'has no readiness or startup probe',
  ];
}

/** A process with more than one pod must have a disruption budget, so that draining nodes does not evict all its pods at once. */
export function budgetFaults(objects: KubeObject[]): Fault[] {
  const budgets = ofKind<IPodDisruptionBudget>(objects, 'PodDisruptionBudget').map(({ spec }) => spec?.selector?.matchLabels?.['app.kubernetes.io/component']);
  const several = ofKind<{ spec?: { minReplicas?: number; scaleTargetRef?: { name: string } } }>(objects, 'HorizontalPodAutoscaler').flatMap(({ spec }) =>
    (spec?.minReplicas ?? 1) > 1 && spec?.scaleTargetRef ? [spec.scaleTargetRef.name] : [],
  );
  const all = [...several, ...processes(objects).flatMap(({ metadata, spec }) => ((spec?.replicas ?? 1) > 1 ? [metadata.name] : []))];
  return all.filter((name) => !budgets.includes(name)).map((name) => `${name}: has several pods and no PodDisruptionBudget`);
}

/** A process uses up to about one core, so pods should be added only above this usage, whatever they request. */
const BUSY_CORES = 0.5;
const toCores = (quantity: number | string) => (String(quantity).endsWith('m') ? Number.parseFloat(String(quantity)) / 1_000 : Number(quantity));

/** Each autoscaler must have its Deployment, and must add pods only when the existing ones are busy. */
export function scalingFaults(objects: KubeObject[]): Fault[] {
  return ofKind<IHorizontalPodAutoscaler>(objects, 'HorizontalPodAutoscaler').flatMap(({ metadata: { name }, spec }) => {
    const deployment = processes(objects).find(({ metadata }) => metadata.name === spec?.scaleTargetRef.name);
    if (!deployment) return [`HorizontalPodAutoscaler ${name}: there is no Deployment ${spec?.scaleTargetRef.name}`];
    const requested = toCores(deployment.spec?.template.spec?.containers[0]?.resources?.requests?.cpu ?? 0);
    return (spec?.metrics ?? [])
      .flatMap(({ resource }) => (resource?.name === 'cpu' ? [resource.target] : []))
      .map(({ averageValue, averageUtilization = 0 }) => (averageValue === undefined ? (averageUtilization / 100) * requested : toCores(averageValue)))
      .filter((cores) => cores < BUSY_CORES)
      .map((cores) => `HorizontalPodAutoscaler ${name}: adds pods when they use only ${cores} cores`);
  });
}

type Backend = { name: string; port?: number | string | undefined };

/** Every backend of an Ingress or a route must be a port of a Service, and every route must have its listener. */
export function entryFaults(objects: KubeObject[]): Fault[] {
  const ports = ofKind<IService>(objects, 'Service').flatMap(({ metadata, spec }) =>
    (spec?.ports ?? []).flatMap(({ name, port }) => [`${metadata.name}:${port}`, `${metadata.name}:${name}`]),
  );
  const listeners = ofKind<IGateway>(objects, 'Gateway').flatMap(({ metadata, spec }) => spec.listeners.map(({ name }) => `${metadata.name}/${name}`));
  const routes = ofKind<IHTTPRoute>(objects, 'HTTPRoute');
  const backends: Backend[] = [
    ...ofKind<IIngress>(objects, 'Ingress').flatMap(({ spec }) =>
      (spec?.rules ?? []).flatMap(({ http }) =>
        (http?.paths ?? []).map(({ backend: { service } }) => ({ name: service?.name ?? '', port: service?.port?.name ?? service?.port?.number })),
      ),
    ),
    ...routes.flatMap(({ spec }) => (spec.rules ?? []).flatMap(({ backendRefs = [] }) => backendRefs)),
  ];
  return [
    ...(backends.length === 0 ? ['neither an Ingress nor a route leads to the gateway'] : []),
    ...backends.filter(({ name, port }) => !ports.includes(`${name}:${port}`)).map(({ name, port }) => `no Service ${name} has the port ${port}`),
    ...routes
      .flatMap(({ metadata, spec }) => (spec.parentRefs ?? []).map((parent) => [metadata.name, `${parent.name}/${parent.sectionName}`] as const))
      .filter(([, parent]) => !listeners.includes(parent))
      .map(([route, parent]) => `HTTPRoute ${route}: there is no listener ${parent}`),
  ];
}

/** Each namespace with pods must deny connections that no policy allows. */
export function denialFaults(objects: KubeObject[]): Fault[] {
  const places = new Set(objects.some(templateOf) ? objects.flatMap(({ kind, metadata }) => (PLACED.has(kind) ? [metadata.namespace ?? ''] : [])) : []);
  const closed = ofKind<INetworkPolicy>(objects, 'NetworkPolicy')
    .filter(({ spec }) => Object.keys(spec?.podSelector ?? {}).length === 0 && spec?.policyTypes?.includes('Ingress') && spec.policyTypes.includes('Egress'))
    .map(({ metadata }) => metadata.namespace ?? '');
  return [...places].filter((place) => !closed.includes(place)).map((place) => `namespace ${place}: does not deny connections by default`);
}

const PLACED = new Set(['Deployment', 'StatefulSet', 'Job', 'CronJob', 'DaemonSet', 'Cluster', 'Pooler']);
