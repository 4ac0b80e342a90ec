// Sets up the OpenTelemetry SDK: sampling, and sending in batches.
import { setTimeout as sleep } from 'node:timers/promises';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, ParentBasedSampler, type SpanProcessor, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Stoppable } from '../background/stop.ts';

/** How long a stopping process waits for the collector. */
const LAST_MS = 3_000;

/** Records with the processor until stopped. `ratio` is the share of traces that are recorded. */
export function registerTracing({ process, processor, ratio }: { process: string; processor: SpanProcessor; ratio: number }): Stoppable {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': `clinic-${process}`, 'service.namespace': 'clinic' }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [processor],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  return {
    async stop() {
      trace.disable();
      context.disable();
      propagation.disable();
      await Promise.race([provider.shutdown().catch(() => {}), sleep(LAST_MS, undefined, { ref: false })]);
    },
  };
}

/** Records spans and sends them to a collector. While the collector is unavailable, spans are dropped; requests never wait for it. */
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
  return registerTracing({
    process,
    processor: new BatchSpanProcessor({ exporter, maxQueueSize: 8_192, maxExportBatchSize: 1_024, scheduledDelayMillis: 2_000 }),
    ratio,
  });
}
