// Finds the metrics that a dashboard, alert rules or a page use but that do not exist.
import type { Fault } from './source.ts';

/** Metrics of other programs, each from the exporter's output or its documentation. */
const OF_OTHERS = [
  'up', // Prometheus
  'pg_up', // postgres_exporter
  ...['probe_success', 'probe_ssl_earliest_cert_expiry'], // blackbox exporter
  ...['node_filesystem_avail_bytes', 'node_filesystem_size_bytes'], // node exporter
  ...['nats_server_total_message_bytes', 'nats_server_max_storage'], // exporter of NATS
  ...['kubelet_volume_stats_available_bytes', 'kubelet_volume_stats_capacity_bytes'],
  ...['cnpg_collector_up', 'barman_cloud_cloudnative_pg_io_last_available_backup_timestamp'], // CloudNativePG
];

/** The metrics of deploy/prometheus/postgres-queries.yml, as postgres_exporter and CloudNativePG name them. */
export function metricsOfQueries(queries: Record<string, { metrics: Record<string, unknown>[] }>): string[] {
  const names = Object.entries(queries).flatMap(([key, { metrics }]) => metrics.flatMap((metric) => Object.keys(metric).map((name) => `${key}_${name}`)));
  return names.flatMap((name) => [name, `cnpg_${name}`]);
}
// Functions and aggregations are followed by a parenthesis and so do not match. Labels are removed before.
const NAME = /\b([a-z][a-z0-9_]*_[a-z0-9_]+|up)\b(?!\s*\()/g;

/** The names of metrics in a query. */
export function metricsIn(query: string): string[] {
  const bare = query
    .replaceAll(/\{[^}]*\}/g, '') // labels and their values
    .replaceAll(/\[[^\]]*\]/g, '') // ranges
    .replaceAll(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ');
  return [...new Set([...bare.matchAll(NAME)].map((match) => match[1] as string))];
}

/** Every query of a Grafana dashboard. */
export function queriesOfDashboard(json: string): string[] {
  const { panels } = JSON.parse(json) as { panels: { targets?: { expr?: string }[] }[] };
  return panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr = [] }) => expr));
}

/** `known` are the metrics that the code registers. A histogram has three names. */
export function unknownMetrics(where: string, queries: string[], known: { name: string; type: string }[]): Fault[] {
  const made = new Set([
    ...OF_OTHERS,
    ...known.flatMap(({ name, type }) => (type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name])),
  ]);
  return queries.flatMap((query) =>
    metricsIn(query)
      .filter((name) => !made.has(name))
      .map((name) => `${where}: there is no metric ${name}, which is used in ${query}`),
  );
}
