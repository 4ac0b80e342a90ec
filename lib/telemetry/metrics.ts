// The metrics of the process; docs/observability.md lists them. Labels have few values and never contain ids.
import prom from 'prom-client';
import { collectNodeMetrics } from './loop-lag.ts';

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const LONG_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800];

collectNodeMetrics();

export const metrics = prom.register;

const gauge = <L extends string>(name: string, help: string, labelNames: L[]) => new prom.Gauge({ name, help, labelNames });
const counter = <L extends string>(name: string, help: string, labelNames: L[]) => new prom.Counter({ name, help, labelNames });
const histogram = <L extends string>(name: string, help: string, labelNames: L[], buckets = BUCKETS) => new prom.Histogram({ name, help, labelNames, buckets });

export const rpcDuration = histogram('clinic_rpc_seconds', 'Duration of RPC handlers by RPC and outcome', ['rpc', 'outcome']);
export const httpDuration = histogram('clinic_http_seconds', 'Duration of public requests by route and status', ['method', 'route', 'status']);
export const rateLimited = counter('clinic_rate_limited_total', 'Requests rejected by a rate limit, by rate group', ['group']);

export const outboxLag = gauge('clinic_outbox_unpublished', 'Events in the outbox that are not published yet, by service', ['service']);
export const outboxAge = gauge('clinic_outbox_oldest_seconds', 'Age of the oldest event that is not published yet, by service', ['service']);
export const streamRebuilds = counter('clinic_stream_rebuilds_total', 'Rebuilds of the event stream from the outbox after a loss, by service', ['service']);
export const natsConnected = gauge('clinic_nats_connected', '1 while the connection to NATS is open', ['client']);
export const eventsHandled = counter('clinic_events_total', 'Events by consumer and outcome', ['consumer', 'outcome']);
export const eventDuration = histogram('clinic_event_seconds', 'Duration of event handlers by consumer', ['consumer']);
export const eventDelay = histogram(
  'clinic_event_delay_seconds',
  'Time from the creation of an event to the end of its handling, by consumer',
  ['consumer'],
  LONG_BUCKETS,
);

export const certificateExpires = gauge(
  'clinic_tls_certificate_expires_seconds',
  'When the certificate of the process, or its authority, expires, in seconds since 1970',
  ['certificate'],
);

export const dependencyUp = gauge(
  'clinic_dependency_up',
  '1 while the last use of a server that the process depends on succeeded, by dependency and address; absent before the first use',
  ['dependency', 'address'],
);

export const diskFree = gauge('clinic_disk_free_bytes', 'Free space of the disk of the data folder', ['folder']);
export const diskSize = gauge('clinic_disk_size_bytes', 'Size of the disk of the data folder', ['folder']);

export const jobDuration = histogram(
  'clinic_job_seconds',
  'Duration of job runs by queue and outcome: done, failed (will be retried), dead (will not)',
  ['queue', 'outcome'],
  LONG_BUCKETS,
);
export const failedJobs = gauge('clinic_jobs_failed', 'Jobs that failed permanently and wait for an operator, by queue', ['queue']);
export const queueWaiting = gauge('clinic_queue_waiting', 'Jobs that are due and wait, by queue', ['queue']);
export const queueAge = gauge('clinic_queue_oldest_seconds', 'How long the oldest waiting job has been due, by queue', ['queue']);

export const commandSucceeded = gauge('clinic_command_succeeded_seconds', "When an operator's command last succeeded, in seconds since 1970; 0: never", [
  'command',
]);

export const streamBytes = gauge('clinic_event_stream_bytes', 'Size of the event stream', []);

export const streamMaxBytes = gauge('clinic_event_stream_max_bytes', 'Size limit of the event stream; 0 when it has none', []);

export const clockSteps = counter('clinic_clock_steps_total', 'Steps of five seconds or more of the clock of the process or of the database', ['clock']);

export const clockSkew = gauge('clinic_clock_skew_seconds', 'Clock of the process that made the last call minus the clock of this process', ['peer']);

export const webhookDuration = histogram(
  'clinic_webhook_seconds',
  'Duration of attempts to deliver webhooks by outcome: delivered, refused (another status than 2xx), or why there was no answer',
  ['outcome'],
);

export const providerDuration = histogram('clinic_provider_seconds', 'Duration of calls to external systems by provider, operation and outcome', [
  'provider',
  'operation',
  'outcome',
]);
