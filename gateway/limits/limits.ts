// Rate limits by group and client. Every response of a limited route carries the state of the limit in its headers.
import { isIP } from 'node:net';
import { ServiceError } from '@clinic/lib/errors/errors.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { rateLimited } from '@clinic/lib/telemetry/metrics.ts';
import type { RateGroup } from '../http/route.ts';
import type { GatewaySettings } from '../settings.ts';
import { createCount, type Standing } from './count.ts';
import { type Attempt, createFailures } from './failures.ts';
import { type Limit, type LimitStore, openLimitStore } from './store.ts';

/** Headers of the response; the error when the request is refused; where only failures count, `settle` takes the outcome. */
export type RateCheck = { headers: Record<string, string>; refused?: ServiceError; settle?: (failed: boolean) => Promise<void> };

export type Limits = {
  /** The check of a group; undefined when its limit is off. */
  of(group: RateGroup): ((ip: string) => Promise<RateCheck>) | undefined;
  stop(): Promise<void>;
};

export function openLimits(settings: GatewaySettings, log: Log): Limits {
  const limits: Record<RateGroup, Limit | undefined> = {
    auth: settings.RATE_LIMIT_AUTH,
    demo: settings.RATE_LIMIT_DEMO,
    feed: settings.RATE_LIMIT_FEED,
    api: settings.RATE_LIMIT_API,
  };
  const store = Object.values(limits).some(Boolean) ? openLimitStore(settings.DATABASE_URL, log) : undefined;
  const checks = new Map<RateGroup, (ip: string) => Promise<RateCheck>>();
  for (const group of Object.keys(limits) as RateGroup[]) {
    const limit = limits[group];
    if (store && limit) checks.set(group, createCheck(group, limit, store));
  }
  return { of: (group) => checks.get(group), stop: async () => store?.stop() };
}

function createCheck(group: RateGroup, limit: Limit, store: LimitStore): (ip: string) => Promise<RateCheck> {
  const policy = `${limit.count};w=${limit.seconds}`;
  const begin: (key: string) => Promise<Standing & Partial<Attempt>> =
    group === 'auth' ? createFailures(store.counter(group, limit, false)) : createCount(store.counter(group, limit, true));
  return async (ip) => {
    const standing = await begin(clientKey(ip));
    const reset = String(Math.max(1, Math.ceil(standing.resetMs / 1000)));
    const headers: Record<string, string> = {
      'RateLimit-Policy': policy,
      'RateLimit-Limit': String(limit.count),
      'RateLimit-Remaining': String(Math.max(0, limit.count - standing.position)),
      'RateLimit-Reset': reset,
    };
    if (standing.position > limit.count) rateLimited.inc({ group });
    if (standing.position > limit.count) return { headers: { ...headers, 'Retry-After': reset }, refused: new ServiceError('RATE_LIMITED') };
    const { settle } = standing;
    if (!settle) return { headers };
    return {
      headers,
      settle(failed) {
        if (!failed) headers['RateLimit-Remaining'] = String(limit.count - standing.position + 1);
        return settle(failed);
      },
    };
  };
}

/** An IPv4 address, or the /64 network of an IPv6 address, from which a host can choose its addresses freely. */
export function clientKey(ip: string): string {
  if (isIP(ip) !== 6) return ip;
  const [head = '', tail] = ip.toLowerCase().split('::');
  const left = head ? head.split(':') : [];
  const right = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array<string>(Math.max(0, zeros)).fill('0'), ...right]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
