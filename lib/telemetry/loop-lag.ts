// The lag of the event loop, measured with the shared timer. The default metric of prom-client runs a hundred times a second, in an idle process too.
import { createHistogram } from 'node:perf_hooks';
import prom from 'prom-client';
import { onTick, TICK_MS } from '../background/tick.ts';

/** The longest interval that a timer accepts, so that prom-client's own measurement never runs. */
const PRECISION_MS = 2 ** 31 - 1;

/** Adds the default metrics of Node to the registry, and replaces those of the event loop's lag. */
export function collectNodeMetrics(): void {
  prom.collectDefaultMetrics({ eventLoopMonitoringPrecision: PRECISION_MS });
  for (const { name } of prom.register.getMetricsAsArray()) if (name.startsWith('nodejs_eventloop_lag')) prom.register.removeSingleMetric(name);
  const lags = createHistogram();
  let last = performance.now();
  onTick(() => {
    const now = performance.now();
    lags.record(Math.max(1, Math.round((now - last - TICK_MS) * 1e6)));
    last = now;
  });
  new prom.Gauge({
    name: 'nodejs_eventloop_lag_p99_seconds',
    help: 'Lag of the event loop that 99 % of the measurements since the last reading did not exceed',
    collect() {
      this.set(lags.count === 0 ? 0 : lags.percentile(99) / 1e9);
      lags.reset();
    },
  });
}
