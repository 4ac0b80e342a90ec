// The load generator runs in a separate process, so that its processor time can be measured separately. It receives one job at a time and
// responds with the result.
import autocannon from 'autocannon';
import { percentile } from '../statistics.ts';
import { describe, type Size } from './dataset.ts';
import { type Operation, requestOf } from './requests.ts';

export type Job = {
  url: string;
  size: Size;
  operation: Operation;
  tokens?: string[] | undefined;
  adminToken?: string | undefined;
  /** Number of the first request. */
  from: number;
  inFlight: number;
  seconds: number;
};

export type Round = {
  requests: number;
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** The number after the last request that was sent. */
  next: number;
  /** Number of responses other than 2xx, by status or error. */
  failures: Record<string, number>;
};

function drive({ url, size, operation, tokens, adminToken, from, inFlight, seconds }: Job): Promise<Round> {
  const target = { data: describe(size), operation, tokens, adminToken };
  const times: number[] = [];
  const failures: Record<string, number> = {};
  const failed = (what: string) => {
    failures[what] = (failures[what] ?? 0) + 1;
  };
  let next = from;
  let last = performance.now();
  const started = last;
  return new Promise((resolve) => {
    const run = autocannon(
      {
        url,
        connections: inFlight,
        duration: seconds,
        timeout: 10,
        requests: [
          {
            setupRequest(request) {
              let made = requestOf(target, next++);
              while (!made) made = requestOf(target, next++);
              return { ...request, ...made };
            },
          },
        ],
      },
      () =>
        resolve({
          requests: times.length,
          perSecond: (times.length / (last - started)) * 1000,
          p50: percentile(times, 0.5),
          p99: percentile(times, 0.99),
          next,
          failures,
        }),
    );
    run.on('response', (_client, status: number, _bytes, ms: number) => {
      if (status >= 300) return failed(String(status));
      last = performance.now();
      times.push(ms);
    });
    run.on('reqError', (error: Error) => failed(error.message));
  });
}

process.channel?.ref(); // jobs are what it lives for
process.on('message', (job: Job) => {
  drive(job).then(
    (round) => process.send?.(round),
    (error) => process.send?.({ error: String(error) }),
  );
});
