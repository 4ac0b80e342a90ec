// A call that leaves the product: measured, and a span where traces are made, by provider and operation, both words of ours and never an address.
import { providerDuration } from './metrics.ts';
import { inSpan, SpanKind } from './tracing.ts';

/** Runs the call. What it throws counts as failed and is thrown on. */
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

/** The same calls, each of them measured under its name. */
export function measureCalls<P extends { [K in keyof P]: (...given: never[]) => Promise<unknown> }>(provider: string, calls: P): P {
  const wrapped = Object.entries(calls as unknown as Calls).map(([name, call]) => [
    name,
    (...given: never[]) => measureExternalCall(provider, name, () => call(...given)),
  ]);
  return Object.fromEntries(wrapped) as P;
}
