// Traces: what belongs to one request, through processes, events and jobs. Off unless an endpoint is set: then `tracing` is
// undefined, and whoever would record something looks at that and at nothing else. Spans hold names of ours, never values.
import { z } from 'zod';

export type Kind = 'server' | 'client' | 'producer' | 'consumer' | 'internal';
export type Attributes = Record<string, string | number>;

/** A span whose end comes by an event and not with a promise. */
export type OpenSpan = {
  traceId: string;
  /** Runs what belongs to the span, also what it begins and does not wait for. */
  run(work: () => void): void;
  end(name: string, attributes: Attributes, failed: boolean): void;
};

export type Tracing = {
  /** The beginning of a trace; undefined when this one is not in the sample. */
  begin(name: string, kind: Kind): OpenSpan | undefined;
  /** The same for work with an end of its own. */
  root<T>(name: string, kind: Kind, attributes: Attributes, work: () => Promise<T>): Promise<T>;
  /** Runs work in a span below the running one; where nothing is recorded it just runs. */
  child<T>(name: string, kind: Kind, attributes: Attributes, work: () => Promise<T>): Promise<T>;
  /** Runs work in a span below the one that `carried` names; without it as child() does. */
  resume<T>(carried: string | null | undefined, name: string, kind: Kind, attributes: Attributes, work: () => Promise<T>): Promise<T>;
  /** The running span as a W3C traceparent, to be resumed elsewhere or later; undefined when nothing is recorded. */
  carry(): string | undefined;
  /** For a line of the log. */
  ids(): { trace_id: string; span_id: string } | undefined;
};

/** Undefined while tracing is off. */
export let tracing: Tracing | undefined;

export function setTracing(made: Tracing | undefined): void {
  tracing = made;
}

export const TRACE_HEADER = 'traceparent';

const NOTHING: Attributes = {};

/** Runs work as a part of the trace that came with what is worked on. */
export function resumed<T>(carried: string | null | undefined, name: string, kind: Kind, work: () => Promise<T>): Promise<T> {
  return tracing === undefined ? work() : tracing.resume(carried, name, kind, NOTHING, work);
}

const RATIO = 'must be a share from 0 to 1';

export const tracingSettings = {
  /** Where traces are sent by OTLP over HTTP, for example http://otel:4318; none are made without it. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' }).optional(),
  /** What the receiver asks for, as name=value, separated by commas. */
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .regex(/^[\w-]+=[^,]+(,[\w-]+=[^,]+)*$/, 'must be name=value pairs separated by commas')
    .optional(),
  /** The share of requests and timed jobs that begin a trace. */
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number({ error: RATIO }).min(0, RATIO).max(1, RATIO).default(0.05),
};

export type TracingSettings = z.infer<z.ZodObject<typeof tracingSettings>>;
