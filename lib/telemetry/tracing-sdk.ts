// Records spans with OpenTelemetry's SDK and sends them in batches. The running span stands in an AsyncLocalStorage of our
// own: children are made only below a span that is recorded, so that requests outside of the sample cost next to nothing.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, ParentBasedSampler, type SpanProcessor, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Stoppable } from '../background/stop.ts';
import { ServiceError } from '../errors/errors.ts';
import { type Attributes, type Kind, setTracing, type Tracing } from './tracing.ts';

const KINDS: Record<Kind, SpanKind> = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/;
/** An end of the process waits this long for the collector. */
const LAST_MS = 3_000;

/** Records with the processor until stopped. `ratio` is the share of traces that are recorded. */
export function record({ process, processor, ratio }: { process: string; processor: SpanProcessor; ratio: number }): Tracing & Stoppable {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': `clinic-${process}`, 'service.namespace': 'clinic' }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer('clinic');
  const running = new AsyncLocalStorage<{ span: Span; context: Context }>();

  const start = (name: string, kind: Kind, attributes: Attributes, parent: Context) => tracer.startSpan(name, { kind: KINDS[kind], attributes }, parent);
  const within = <T>(span: Span, work: () => T): T => running.run({ span, context: trace.setSpan(ROOT_CONTEXT, span) }, work);

  async function through<T>(span: Span, work: () => Promise<T>): Promise<T> {
    if (!span.isRecording()) return work();
    try {
      return await within(span, work);
    } catch (error) {
      span.setAttribute('error.type', typeOf(error)).setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  }

  const made: Tracing & Stoppable = {
    begin(name, kind) {
      const span = start(name, kind, {}, ROOT_CONTEXT);
      if (!span.isRecording()) return undefined;
      return {
        traceId: span.spanContext().traceId,
        run: (work) => within(span, work),
        end(finalName, attributes, failed) {
          span.updateName(finalName).setAttributes(attributes);
          if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    root: (name, kind, attributes, work) => through(start(name, kind, attributes, ROOT_CONTEXT), work),
    child(name, kind, attributes, work) {
      const parent = running.getStore();
      return parent === undefined ? work() : through(start(name, kind, attributes, parent.context), work);
    },
    resume(carried, name, kind, attributes, work) {
      const parent = carried ? remote(carried) : running.getStore()?.context;
      return parent === undefined ? work() : through(start(name, kind, attributes, parent), work);
    },
    carry() {
      const context = running.getStore()?.span.spanContext();
      return context && `00-${context.traceId}-${context.spanId}-01`;
    },
    ids() {
      const context = running.getStore()?.span.spanContext();
      return context && { trace_id: context.traceId, span_id: context.spanId };
    },
    async stop() {
      setTracing(undefined);
      await Promise.race([provider.shutdown().catch(() => {}), sleep(LAST_MS, undefined, { ref: false })]);
    },
  };
  setTracing(made);
  return made;
}

/** Records, and sends what was recorded to a collector. One that is away loses spans and holds up nothing. */
export function exportTo({ process, endpoint, headers = '', ratio }: { process: string; endpoint: string; headers: string | undefined; ratio: number }) {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: Object.fromEntries(
      headers
        .split(',')
        .filter(Boolean)
        .map((pair) => [pair.slice(0, pair.indexOf('=')).trim(), decodeURIComponent(pair.slice(pair.indexOf('=') + 1).trim())]),
    ),
    timeoutMillis: 5_000,
  });
  return record({
    process,
    processor: new BatchSpanProcessor({ exporter, maxQueueSize: 8_192, maxExportBatchSize: 1_024, scheduledDelayMillis: 2_000 }),
    ratio,
  });
}

function remote(carried: string): Context | undefined {
  const [, traceId, spanId] = TRACEPARENT.exec(carried) ?? [];
  return traceId && spanId ? trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true }) : undefined;
}

/** The reason, PostgreSQL's code, or the name of the error: its message may quote what a person wrote. */
function typeOf(error: unknown): string {
  if (error instanceof ServiceError) return error.reason;
  const { code, name } = error as { code?: unknown; name?: unknown };
  return String(code ?? name ?? 'Error');
}
