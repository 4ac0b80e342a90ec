// Starts the recording of traces, which a process does before anything else, and stops last.
import type { Stoppable } from '../background/stop.ts';
import type { TracingSettings } from './tracing.ts';

/** Starts recording if a collector is set; `process` is the name in `service.name`. stop() sends the remaining spans. */
export async function startTracing(process: string, settings: TracingSettings): Promise<Stoppable> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers, OTEL_TRACES_SAMPLER_ARG: ratio } = settings;
  if (endpoint === undefined) return { stop: async () => {} };
  const { exportTo } = await import('./tracing-sdk.ts'); // loaded only where spans are recorded
  return exportTo({ process, endpoint, headers, ratio });
}
