// Rate limits by group and client. Every response of a limited route carries the state of the limit in its headers.
import path from 'node:path';
import { Remembered } from '@clinic/lib/background/remembered.ts';
import { migrationNames } from '@clinic/lib/db/migrate.ts';
import type { ServiceError } from '@clinic/lib/errors/errors.ts';
import { networkOf } from '@clinic/lib/formats/network.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { rateLimited } from '@clinic/lib/telemetry/metrics.ts';
import { LimitExceeded } from '../http/errors.ts';
import type { RateGroup } from '../http/route.ts';
import type { GatewaySettings } from '../settings.ts';
import { type Count, createCount, type Standing } from './count.ts';
import { type Attempt, createFailures } from './failures.ts';
import { windowHeaders } from './limit-headers.ts';
import { type Limit, type LimitStore, openLimitStore } from './store.ts';

/** The headers of the response, and the error if the request is refused. If only failures count, `settle` must be given the outcome. */
export type RateCheck = { headers: Record<string, string>; refused?: ServiceError; settle?: (failed: boolean) => Promise<void> };

type Check = (ip: string) => Promise<RateCheck>;

/** `isKnown` looks an integration key up. */
type KeyCheck = (keyHash: string, ip: string, isKnown: () => Promise<boolean>) => Promise<RateCheck>;

export type Limits = {
  /** The check of a group; undefined when its limit is off. */
  of(group: RateGroup): Check | undefined;
  /** The check of requests with integration keys, which replaces the check of the group `api`. */
  ofKey: KeyCheck;
  /** Counts the requests of clinics or of users, by their ids. */
  countOf(group: 'clinic' | 'user', limit: Limit): Count;
  /** The migrations that the gateway's schema lacks. None if all limits are off, because nothing else uses the database. */
  missingMigrations(): Promise<string[]>;
  stop(): Promise<void>;
};

/** Every request for a mail with a link counts, whether it fails or not. Failed ones also count in the group `auth`. */
const RECOVERY: Limit = { count: 5, seconds: 3600 };

const MIGRATIONS = path.join(import.meta.dirname, '../migrations');

export function openLimits(settings: GatewaySettings, log: Log, countMs: number): Limits {
  const limits: Record<RateGroup, Limit | undefined> = {
    auth: settings.RATE_LIMIT_AUTH,
    session: settings.RATE_LIMIT_AUTH,
    recovery: settings.RATE_LIMIT_AUTH && RECOVERY,
    demo: settings.RATE_LIMIT_DEMO,
    feed: settings.RATE_LIMIT_FEED,
    booking: settings.RATE_LIMIT_BOOKING,
    booking_view: settings.RATE_LIMIT_BOOKING,
    api: settings.RATE_LIMIT_API,
  };
  let store: LimitStore | undefined;
  const open = () => (store ??= openLimitStore(settings.DATABASE_URL, log, countMs));
  const checks = new Map<RateGroup, Check>();
  for (const group of Object.keys(limits) as RateGroup[]) {
    const limit = limits[group];
    if (limit) checks.set(group, byAddress(createCheck(group, limit, open())));
  }
  const [attempts, recoveries] = [checks.get('auth'), checks.get('recovery')];
  if (attempts && recoveries) checks.set('recovery', both(attempts, recoveries));
  return {
    of: (group) => checks.get(group),
    ofKey: createKeyCheck(settings, open),
    countOf: (group, limit) => createCount(open().counter(group, limit, false)),
    async missingMigrations() {
      const applied = await store?.appliedMigrations();
      return applied ? (await migrationNames(MIGRATIONS)).filter((name) => !applied.includes(name)) : [];
    },
    stop: async () => store?.stop(),
  };
}

/** A check that counts by any key, for example an address or the hash of an integration key. */
function createCheck(group: RateGroup | 'key' | 'unknown_key', limit: Limit, store: LimitStore): Check {
  rateLimited.inc({ group }, 0); // creates the time series, so that the first rejection is visible as an increase
  const begin: (key: string) => Promise<Standing & Partial<Attempt>> = COUNTS_FAILURES.includes(group)
    ? createFailures(store.counter(group, limit, false))
    : createCount(store.counter(group, limit, true));
  return async (key) => {
    const standing = await begin(key);
    const headers = windowHeaders(limit, standing);
    if (standing.position > limit.count) {
      rateLimited.inc({ group });
      return { headers, refused: new LimitExceeded(headers) };
    }
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

const COUNTS_FAILURES = ['auth', 'session', 'unknown_key'];

const byAddress =
  (check: Check): Check =>
  (ip) =>
    check(networkOf(ip));

const MAX_KNOWN_KEYS = 10_000;

/** A key that has been found is counted separately, whatever its address does. Keys that are not found are counted by address. */
function createKeyCheck({ RATE_LIMIT_KEY, RATE_LIMIT_API }: GatewaySettings, open: () => LimitStore): KeyCheck {
  const ofKey = RATE_LIMIT_KEY && createCheck('key', RATE_LIMIT_KEY, open());
  const ofUnknown = RATE_LIMIT_API && byAddress(createCheck('unknown_key', RATE_LIMIT_API, open()));
  const known = new Remembered<true>(MAX_KNOWN_KEYS);
  return async (keyHash, ip, isKnown) => {
    if (ofUnknown && !known.get(keyHash)) {
      const attempt = await ofUnknown(ip);
      if (attempt.refused) return attempt;
      const found = await isKnown().catch(async (error) => {
        await attempt.settle?.(false);
        throw error;
      });
      await attempt.settle?.(!found);
      if (!found) return { headers: attempt.headers };
      known.set(keyHash, true);
    }
    return ofKey ? ofKey(keyHash) : { headers: {} };
  };
}

/** The second check is made only if the first one passes; then its headers are sent. */
function both(first: Check, second: Check): Check {
  return async (ip) => {
    const one = await first(ip);
    if (one.refused) return one;
    const two = await second(ip);
    if (two.refused) await one.settle?.(false);
    return { ...one, ...two };
  };
}
