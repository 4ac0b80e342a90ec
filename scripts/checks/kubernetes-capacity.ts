// Checks that the database has enough connections: services × replicas × pools ≤ max_connections, even while a release rolls out and every process
// has its maximum number of pods.
import { systemConnections } from '@clinic/lib/db/db.ts';
import type { IPooler } from '@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1/Pooler';
import type { IStatefulSet } from 'kubernetes-models/apps/v1';
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { SERVICES } from '../schemas.ts';
import { type KubeObject, ofKind, processes, sharedSettings } from './kubernetes-objects.ts';
import type { Fault } from './source.ts';

/** Connections that a process opens in addition to its pools: messaging stores webhook deliveries with separate connections. */
export const BESIDE_THE_POOL: Record<string, number> = { messaging: 2 };
/** The connections of the gateway, which uses the database only for rate limits. */
export const GATEWAY_CONNECTIONS = 4;

/** superuser_reserved_connections, and the connections of operators' tools and monitoring. */
const RESERVED = 3;
const ATTENDANTS = 6;
const MIGRATION = 1;
/** Logins: two of each service, and that of the gateway. */
const ROLES = 2 * SERVICES.length + 1;

/** The largest number of connections that each process of an overlay may open. */
export function connectionsWanted(objects: KubeObject[]): Map<string, number> {
  const scaled = new Map(
    ofKind<IHorizontalPodAutoscaler>(objects, 'HorizontalPodAutoscaler').map(({ spec }) => [spec?.scaleTargetRef.name, spec?.maxReplicas]),
  );
  const pool = Number(sharedSettings(objects).DATABASE_POOL ?? 10);
  return new Map(
    processes(objects).map(({ metadata: { name }, spec }) => {
      const surge = Number(spec?.strategy?.rollingUpdate?.maxSurge ?? 1);
      const pods = (scaled.get(name) ?? spec?.replicas ?? 1) + surge;
      return [name, pods * (name === 'gateway' ? GATEWAY_CONNECTIONS : pool + systemConnections(pool) + (BESIDE_THE_POOL[name] ?? 0))];
    }),
  );
}

/** One sentence for each limit that may be exceeded. */
export function connectionFaults(overlay: string, objects: KubeObject[]): Fault[] {
  const each = connectionsWanted(objects);
  const wanted = [...each.values()].reduce((sum, count) => sum + count, 0);
  const parts = [...each].map(([name, count]) => `${name} ${count}`).join(', ');
  const most = maxConnections(objects);
  if (most === undefined) return [`${overlay}: does not set max_connections of its database`];
  const [pooler] = ofKind<IPooler>(objects, 'Pooler');
  if (!pooler) {
    const needed = wanted + MIGRATION + RESERVED;
    return needed > most ? [`${overlay}: may open ${needed} connections (${parts}, and ${MIGRATION + RESERVED}), but max_connections is ${most}`] : [];
  }
  const { instances = 1, pgbouncer } = pooler.spec;
  const set = pgbouncer?.parameters ?? {};
  const carried = Math.max(1, instances - 1) * Number(set.max_client_conn ?? 100);
  // During a rollout the pooler has one more instance.
  const opened = (instances + 1) * Math.min(Number(set.max_db_connections ?? Number.POSITIVE_INFINITY), ROLES * Number(set.default_pool_size ?? 20));
  const needed = opened + MIGRATION + RESERVED + ATTENDANTS;
  return [
    ...(wanted > carried ? [`${overlay}: may open ${wanted} connections (${parts}), but with one pooler unavailable the others accept ${carried}`] : []),
    ...(needed > most ? [`${overlay}: the poolers may open ${opened} connections, with ${needed - opened} for others, but max_connections is ${most}`] : []),
  ];
}

type Cluster = { spec: { postgresql?: { parameters?: Record<string, string> } } };

function maxConnections(objects: KubeObject[]): number | undefined {
  const [cluster] = ofKind<Cluster>(objects, 'Cluster');
  if (cluster) return Number(cluster.spec.postgresql?.parameters?.max_connections ?? 100);
  const args = ofKind<IStatefulSet>(objects, 'StatefulSet').flatMap(
    ({ spec }) => spec?.template.spec?.containers.flatMap((container) => container.args ?? []) ?? [],
  );
  const found = args.map((arg) => /^max_connections=(\d+)$/.exec(arg)?.[1]).find(Boolean);
  return found === undefined ? undefined : Number(found);
}
