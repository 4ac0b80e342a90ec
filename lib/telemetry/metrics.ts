// The process's metrics, with few labels and never an id. docs/observability.md lists them.
import prom from 'prom-client';

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const LONG_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800];

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
export const rateLimited = new prom.Counter({ name: 'clinic_rate_limited_total', help: 'Requests refused by rate group', labelNames: ['group'] });

export const outboxLag = new prom.Gauge({ name: 'clinic_outbox_unpublished', help: 'Events not yet published, by service', labelNames: ['service'] });
export const outboxAge = new prom.Gauge({
  name: 'clinic_outbox_oldest_seconds',
  help: 'How long the oldest event has waited to be published, by service',
  labelNames: ['service'],
});
export const streamRebuilds = new prom.Counter({
  name: 'clinic_stream_rebuilds_total',
  help: 'Times that the event stream was lost and the whole outbox was published again, by service',
  labelNames: ['service'],
});
export const natsConnected = new prom.Gauge({ name: 'clinic_nats_connected', help: '1 while the connection to NATS is up', labelNames: ['client'] });
export const eventsHandled = new prom.Counter({ name: 'clinic_events_total', help: 'Events by consumer and outcome', labelNames: ['consumer', 'outcome'] });
export const eventDuration = new prom.Histogram({
  name: 'clinic_event_seconds',
  help: 'Time in the handler of an event by consumer',
  labelNames: ['consumer'],
  buckets: BUCKETS,
});
export const eventDelay = new prom.Histogram({
  name: 'clinic_event_delay_seconds',
  help: 'From the making of an event to the end of its handling, by consumer',
  labelNames: ['consumer'],
  buckets: LONG_BUCKETS,
});

export const jobDuration = new prom.Histogram({
  name: 'clinic_job_seconds',
  help: 'Time of a run of a job by its queue and outcome: done, failed (runs again), dead (does not)',
  labelNames: ['queue', 'outcome'],
  buckets: LONG_BUCKETS,
});
export const queueWaiting = new prom.Gauge({ name: 'clinic_queue_waiting', help: 'What is due and waits, by queue', labelNames: ['queue'] });
export const queueAge = new prom.Gauge({ name: 'clinic_queue_oldest_seconds', help: 'How long the oldest of them has been due', labelNames: ['queue'] });

export const providerDuration = new prom.Histogram({
  name: 'clinic_provider_seconds',
  help: 'Time of a call to an outside system by provider, operation and outcome',
  labelNames: ['provider', 'operation', 'outcome'],
  buckets: BUCKETS,
});
