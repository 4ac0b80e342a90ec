// Limits of a clinic over all its users and addresses: requests per minute, counted over all replicas, and concurrent requests in this process,
// so that a busy clinic delays only its own requests. The limit of each user is counted here too.
import type { Clock } from '@clinic/lib/clock/clock.ts';
import { rateLimited } from '@clinic/lib/telemetry/metrics.ts';
import { countUse } from '@clinic/lib/usage/usage.ts';
import { LimitExceeded, type LimitHeaders } from '../http/errors.ts';
import { WAITING_MS } from '../http/times.ts';
import type { GatewaySettings } from '../settings.ts';
import type { Count } from './count.ts';
import { createLanes } from './lanes.ts';
import { concurrencyHeaders, windowHeaders } from './limit-headers.ts';
import type { Limits } from './limits.ts';
import type { Operating } from './operating-state.ts';

export type ClinicLimits = {
  /** Counts a request of a user or, without one, of an integration key. Throws RATE_LIMITED. */
  count(clinicId: string, userId?: string): Promise<void>;
  /** Waits until the request may run. Returns the function that must be called when it has ended. Throws RATE_LIMITED when too many wait. */
  enter(clinicId: string): Promise<() => void>;
};

/** The number of requests of a clinic that may wait for each one that may run. */
const WAITING_FACTOR = 5;

type ClinicLimitOptions = {
  settings: GatewaySettings;
  operating: Operating;
  clock: Clock;
  countOf: Limits['countOf'];
};

export function createClinicLimits({ settings, operating, clock, countOf }: ClinicLimitOptions): ClinicLimits {
  const enterLane = createLanes();
  // If the limit per address is off, so are the limits per clinic, unless they are set.
  const orDefault = (setting: number | null | undefined, fallback: number) => (setting === undefined ? (settings.RATE_LIMIT_API ? fallback : null) : setting);
  const [perMinute, atOnce] = [orDefault(settings.CLINIC_REQUESTS_PER_MINUTE, 3_000), orDefault(settings.CLINIC_CONCURRENT_REQUESTS, 20)];
  let counter: Count | undefined;
  const perUser = settings.RATE_LIMIT_USER;
  const userCounter = perUser && countOf('user', perUser);
  async function countClinic(clinicId: string): Promise<void> {
    const limit = operating.limitsOf(clinicId)?.requestsPerMinute ?? perMinute;
    if (limit === null) return;
    counter ??= countOf('clinic', { count: MAX_PER_MINUTE, seconds: 60 });
    const standing = await counter(clinicId);
    if (standing.position > limit) refuse('clinic', `The clinic may send ${limit} requests a minute`, windowHeaders({ count: limit, seconds: 60 }, standing));
  }
  return {
    async count(clinicId, userId) {
      if (perUser && userCounter && userId !== undefined) {
        const standing = await userCounter(userId);
        if (standing.position > perUser.count)
          refuse('user', `A user may send ${perUser.count} requests in ${perUser.seconds} seconds`, windowHeaders(perUser, standing));
      }
      await countClinic(clinicId);
    },
    async enter(clinicId) {
      const concurrent = operating.limitsOf(clinicId)?.concurrentRequests ?? atOnce;
      countUse(clinicId, clock.now(), { requests: 1 });
      if (concurrent === null) return () => {};
      const lane = { concurrent, waiting: concurrent * WAITING_FACTOR, maxWaitMs: WAITING_MS };
      return enterLane(clinicId, lane).catch(() =>
        refuse('clinic', `The clinic may have ${concurrent} requests at the same time`, concurrencyHeaders(concurrent, RETRY_MS)),
      );
    },
  };
}

const MAX_PER_MINUTE = 1_000_000;
const RETRY_MS = 2_000;

function refuse(group: 'clinic' | 'user', limit: string, headers: LimitHeaders): never {
  rateLimited.inc({ group });
  throw new LimitExceeded(headers, `${limit}: wait for the seconds in the Retry-After header`);
}
