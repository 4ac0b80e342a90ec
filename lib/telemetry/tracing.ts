// Traces by @opentelemetry/api, which records nothing until start-tracing.ts registers an SDK (for the cost see docs/decisions/tracing.md).
// Names and attributes of spans come from the code and never contain data of a request.
import { createRequire } from 'node:module';
import type * as api from '@opentelemetry/api';
import type { Attributes, Context, Span } from '@opentelemetry/api';
import { z } from 'zod';
import { ServiceError } from '../errors/errors.ts';

// Required as prom-client requires it. An import would load the package a second time, as ES modules.
export const { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = createRequire(import.meta.url)('@opentelemetry/api') as typeof api;
export type SpanKind = api.SpanKind;

/** The W3C header, and the name under which jobs and outbox rows store it. */
export const TRACE_HEADER = 'traceparent';
/** Attributes of the spans of RPCs. */
export const RPC_ATTRIBUTES = { 'rpc.system.name': 'grpc' };

/** Runs the work in a child span of the active span. Without an active span it only runs the work. */
export function inSpan<T>(name: string, kind: SpanKind, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  return trace.getActiveSpan() === undefined ? work() : record(startSpan(name, kind, attributes, context.active()), work);
}

/** Runs the work in the root span of a new trace, if the trace is sampled. */
export function inNewTrace<T>(name: string, kind: SpanKind, work: () => Promise<T>): Promise<T> {
  return record(startSpan(name, kind, {}, ROOT_CONTEXT), work);
}

/** Runs the work in a child span of the span that `traceparent` names; without `traceparent`, like inSpan(); if it is malformed, without a span. */
export function continueTrace<T>(
  traceparent: string | null | undefined,
  name: string,
  kind: SpanKind,
  attributes: Attributes,
  work: () => Promise<T>,
): Promise<T> {
  if (!traceparent) return inSpan(name, kind, attributes, work);
  const parent = propagation.extract(ROOT_CONTEXT, { [TRACE_HEADER]: traceparent });
  return trace.getSpan(parent) === undefined ? work() : record(startSpan(name, kind, attributes, parent), work);
}

export function startSpan(name: string, kind: SpanKind, attributes: Attributes, parent: Context): Span {
  return trace.getTracer('clinic').startSpan(name, { kind, attributes }, parent);
}

/** The active span as a W3C traceparent; undefined when nothing is recorded. */
export function currentTraceparent(): string | undefined {
  if (trace.getActiveSpan() === undefined) return undefined;
  const carrier: { [TRACE_HEADER]?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier[TRACE_HEADER];
}

/** The fields of a log line that identify the active span. */
export function traceFields(): { trace_id?: string; span_id?: string } {
  const active = trace.getActiveSpan()?.spanContext();
  return active ? { trace_id: active.traceId, span_id: active.spanId } : {};
}

/** Runs the work in the span. A span that is not sampled does not become active, so it has no child spans, and no traceparent is sent or stored. */
async function record<T>(span: Span, work: () => Promise<T>): Promise<T> {
  if (!span.isRecording()) return work();
  try {
    return await context.with(trace.setSpan(ROOT_CONTEXT, span), work);
  } catch (error) {
    span.setAttribute('error.type', errorType(error)).setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

/** The reason, PostgreSQL's code, or the name of the error. Its message is left out, since it may quote personal data. */
function errorType(error: unknown): string {
  if (error instanceof ServiceError) return error.reason;
  const { code, name } = error as { code?: unknown; name?: unknown };
  return String(code ?? name ?? 'Error');
}

const RATIO = 'must be a share from 0 to 1';

export const tracingSettings = {
  /** The collector, by OTLP over HTTP, for example http://otel:4318. Nothing is recorded without it. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' }).optional(),
  /** Headers for the collector: name=value pairs, separated by commas. */
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .regex(/^[\w-]+=[^,]+(,[\w-]+=[^,]+)*$/, 'must be name=value pairs separated by commas')
    .optional(),
  /** The share of requests and of scheduled jobs that are recorded. */
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number({ error: RATIO }).min(0, RATIO).max(1, RATIO).default(0.05),
};

export type TracingSettings = z.infer<z.ZodObject<typeof tracingSettings>>;
