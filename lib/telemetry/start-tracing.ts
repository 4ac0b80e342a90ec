// Tracing begins before everything else of a process and ends after it.
import type { Stoppable } from '../background/stop.ts';
import type { TracingSettings } from './tracing.ts';

/** Starts recording for this process when the settings say where to. Its end sends what is left. */
export async function startTracing(process: string, settings: TracingSettings): Promise<Stoppable> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers, OTEL_TRACES_SAMPLER_ARG: ratio } = settings;
  if (endpoint === undefined) return { stop: async () => {} };
  const { exportTo } = await import('./tracing-sdk.ts'); // loaded by those alone who record
  return exportTo({ process, endpoint, headers, ratio });
}
