// The process's metrics, with few labels and never an id.
import prom from 'prom-client';

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

prom.collectDefaultMetrics();

export const metrics = prom.register;

export const rpcDuration = new prom.Histogram({
  name: 'clinic_rpc_seconds',
  help: 'Time in a handler by RPC and outcome',
  labelNames: ['rpc', 'outcome'],
  buckets: BUCKETS,
});
export const httpDuration = new prom.Histogram({
  name: 'clinic_http_seconds',
  help: 'Time of a public request by route and status',
  labelNames: ['method', 'route', 'status'],
  buckets: BUCKETS,
});
export const outboxLag = new prom.Gauge({ name: 'clinic_outbox_unpublished', help: 'Events not yet published, by service', labelNames: ['service'] });
export const eventsHandled = new prom.Counter({ name: 'clinic_events_total', help: 'Events by consumer and outcome', labelNames: ['consumer', 'outcome'] });
