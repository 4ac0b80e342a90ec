// Calls to external systems: a metric and a span for each, named by provider and operation, without addresses or data.
import { providerDuration } from './metrics.ts';
import { inSpan, SpanKind } from './tracing.ts';

/** Runs and measures the call. A call that throws counts as failed. */
export async function measureExternalCall<T>(provider: string, operation: string, call: () => Promise<T>): Promise<T> {
  const started = performance.now();
  let outcome = 'failed';
  try {
    const answer = await inSpan(`${provider} ${operation}`, SpanKind.CLIENT, { 'peer.service': provider }, call);
    outcome = 'ok';
    return answer;
  } finally {
    providerDuration.observe({ provider, operation, outcome }, (performance.now() - started) / 1000);
  }
}

type Calls = Record<string, (...given: never[]) => Promise<unknown>>;

/** Wraps each function so that its calls are measured under its name. */
export function measureCalls<P extends { [K in keyof P]: (...given: never[]) => Promise<unknown> }>(provider: string, calls: P): P {
  const wrapped = Object.entries(calls as unknown as Calls).map(([name, call]) => [
    name,
    (...given: never[]) => measureExternalCall(provider, name, () => call(...given)),
  ]);
  return Object.fromEntries(wrapped) as P;
}
