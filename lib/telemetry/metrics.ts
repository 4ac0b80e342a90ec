// The metrics of the process; docs/observability.md lists them. Labels have few values and never contain ids.
import prom from 'prom-client';
import { collectNodeMetrics } from './loop-lag.ts';

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const LONG_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800];

collectNodeMetrics();

export const metrics = prom.register;

export const rpcDuration = new prom.Histogram({
  name: 'clinic_rpc_seconds',
  help: 'Duration of RPC handlers by RPC and outcome',
  labelNames: ['rpc', 'outcome'],
  buckets: BUCKETS,
});
export const httpDuration = new prom.Histogram({
  name: 'clinic_http_seconds',
  help: 'Duration of public requests by route and status',
  labelNames: ['method', 'route', 'status'],
  buckets: BUCKETS,
});
export const rateLimited = new prom.Counter({
  name: 'clinic_rate_limited_total',
  help: 'Requests rejected by a rate limit, by rate group',
  labelNames: ['group'],
});

export const outboxLag = new prom.Gauge({
  name: 'clinic_outbox_unpublished',
  help: 'Events in the outbox that are not published yet, by service',
  labelNames: ['service'],
});
export const outboxAge = new prom.Gauge({
  name: 'clinic_outbox_oldest_seconds',
  help: 'Age of the oldest event that is not published yet, by service',
  labelNames: ['service'],
});
export const streamRebuilds = new prom.Counter({
  name: 'clinic_stream_rebuilds_total',
  help: 'Rebuilds of the event stream from the outbox after a loss, by service',
  labelNames: ['service'],
});
export const natsConnected = new prom.Gauge({ name: 'clinic_nats_connected', help: '1 while the connection to NATS is open', labelNames: ['client'] });
export const eventsHandled = new prom.Counter({ name: 'clinic_events_total', help: 'Events by consumer and outcome', labelNames: ['consumer', 'outcome'] });
export const eventDuration = new prom.Histogram({
  name: 'clinic_event_seconds',
  help: 'Duration of event handlers by consumer',
  labelNames: ['consumer'],
  buckets: BUCKETS,
});
export const eventDelay = new prom.Histogram({
  name: 'clinic_event_delay_seconds',
  help: 'Time from the creation of an event to the end of its handling, by consumer',
  labelNames: ['consumer'],
  buckets: LONG_BUCKETS,
});

export const certificateExpires = new prom.Gauge({
  name: 'clinic_tls_certificate_expires_seconds',
  help: 'When the certificate of the process, or its authority, expires, in seconds since 1970',
  labelNames: ['certificate'],
});

export const dependencyUp = new prom.Gauge({
  name: 'clinic_dependency_up',
  help: '1 while the last use of a server that the process depends on succeeded, by dependency and address; 0 before the first use',
  labelNames: ['dependency', 'address'],
});

export const diskFree = new prom.Gauge({ name: 'clinic_disk_free_bytes', help: 'Free space of the disk of the data folder', labelNames: ['folder'] });
export const diskSize = new prom.Gauge({ name: 'clinic_disk_size_bytes', help: 'Size of the disk of the data folder', labelNames: ['folder'] });

export const jobDuration = new prom.Histogram({
  name: 'clinic_job_seconds',
  help: 'Duration of job runs by queue and outcome: done, failed (will be retried), dead (will not)',
  labelNames: ['queue', 'outcome'],
  buckets: LONG_BUCKETS,
});
export const queueWaiting = new prom.Gauge({ name: 'clinic_queue_waiting', help: 'Jobs that are due and wait, by queue', labelNames: ['queue'] });
export const queueAge = new prom.Gauge({
  name: 'clinic_queue_oldest_seconds',
  help: 'How long the oldest waiting job has been due, by queue',
  labelNames: ['queue'],
});

export const commandSucceeded = new prom.Gauge({
  name: 'clinic_command_succeeded_seconds',
  help: "When an operator's command last succeeded, in seconds since 1970; 0: never",
  labelNames: ['command'],
});

export const streamBytes = new prom.Gauge({ name: 'clinic_event_stream_bytes', help: 'Size of the event stream' });

export const streamMaxBytes = new prom.Gauge({ name: 'clinic_event_stream_max_bytes', help: 'Size limit of the event stream; 0 when it has none' });

export const clockSteps = new prom.Counter({
  name: 'clinic_clock_steps_total',
  help: 'Steps of five seconds or more of the clock of the process or of the database',
  labelNames: ['clock'],
});

export const clockSkew = new prom.Gauge({
  name: 'clinic_clock_skew_seconds',
  help: 'Clock of the process that made the last call minus the clock of this process',
  labelNames: ['peer'],
});

export const webhookDuration = new prom.Histogram({
  name: 'clinic_webhook_seconds',
  help: 'Duration of attempts to deliver webhooks by outcome: delivered, refused (another status than 2xx), or why there was no answer',
  labelNames: ['outcome'],
  buckets: BUCKETS,
});

export const providerDuration = new prom.Histogram({
  name: 'clinic_provider_seconds',
  help: 'Duration of calls to external systems by provider, operation and outcome',
  labelNames: ['provider', 'operation', 'outcome'],
  buckets: BUCKETS,
});
