// Calls to external systems: a metric and a span for each, named by provider and operation, without addresses or data.
import { providerDuration } from './metrics.ts';
import { inSpan, SpanKind } from './tracing.ts';

/** Runs and measures the call. A call that throws counts as failed. */
export async function measureExternalCall<T>(provider: string, operation: string, call: () => Promise<T>): Promise<T> {
  const started = performance.now();
  let outcome = 'failed';
  try {
    const result = await inSpan(`${provider} ${operation}`, SpanKind.CLIENT, { 'peer.service': provider }, call);
    outcome = 'ok';
    return result;
  } finally {
    providerDuration.observe({ provider, operation, outcome }, (performance.now() - started) / 1000);
  }
}

type Calls = Record<string, (...args: never[]) => Promise<unknown>>;

/** Wraps each function so that its calls are measured under its name. */
export function measureCalls<P extends { [K in keyof P]: (...args: never[]) => Promise<unknown> }>(provider: string, calls: P): P {
  const wrapped = Object.entries(calls as unknown as Calls).map(([name, call]) => [
    name,
    (...args: never[]) => measureExternalCall(provider, name, () => call(...args)),
  ]);
  return Object.fromEntries(wrapped) as P;
}
