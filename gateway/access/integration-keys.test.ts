// What integration keys may do, for every row of the route tables.
import { ServiceError } from '@clinic/lib/errors/errors.ts';
import { SCOPES } from '@clinic/lib/formats/scopes.ts';
import { manualClock } from '@clinic/lib/testing/clock.ts';
import { expect, test } from '@jest/globals';
import type { Request } from 'express';
import { areas } from '../routes/areas.ts';
import { type AccessOptions, createAccessCheck } from './check-access.ts';

const CLINIC = '0198a3f2-7c1e-7d4b-9a53-000000000002';
const KEY = '0198a3f2-7c1e-7d4b-9a53-000000000004';
const FEATURES = ['analytics', 'csv_export', 'csv_import', 'daily_agenda', 'assistant', 'dte', 'dental', 'calendar_feeds', 'quick_switching', 'webhooks'];
const state = { userActive: true, appRole: 'integration_key', clinicActive: true, plan: 'clinica', clinicType: 'dental', guards: [], switchedOff: [] };

/** The caller of a request with a key that has these scopes, or the reason of the refusal. */
function checkWith(scopes: readonly string[], changed: object = {}) {
  const check = createAccessCheck({
    resolveKey: async () => ({ id: KEY, clinicId: CLINIC, scopes, state: { ...state, features: FEATURES, ...changed } }),
    operating: { ready: Promise.resolve(), checkChange: () => {} },
    clinicLimits: { count: async () => {} },
    findOperator: () => {
      throw new ServiceError('INVALID_ADMIN_KEY');
    },
    clock: manualClock(new Date()),
  } as unknown as AccessOptions);
  const request = { headers: { authorization: `Bearer ck_${'a'.repeat(43)}` } } as Request;
  return async (route: Parameters<typeof check>[0]) => {
    try {
      return await check(route, request, 'request', '127.0.0.1');
    } catch (error) {
      return (error as ServiceError).reason;
    }
  };
}

const routes = areas.flatMap((area) => area.routes).filter(({ access }) => access !== 'public');

test('a key with every scope but that of the route is refused, on each route', async () => {
  for (const route of routes) {
    const refused = route.access === 'superadmin' ? 'INVALID_ADMIN_KEY' : 'SCOPE_REQUIRED';
    expect([route.method, route.path, await checkWith(SCOPES.filter((scope) => scope !== route.scope))(route)]).toEqual([route.method, route.path, refused]);
  }
});

test('a key with the scope of the route acts as a key of its clinic, without a role', async () => {
  const usable = routes.filter(({ scope }) => scope);
  expect(usable.length).toBeGreaterThan(100);
  for (const route of usable)
    expect(await checkWith([route.scope as string])(route)).toMatchObject({ kind: 'integration_key', id: KEY, role: '', clinic: { id: CLINIC } });
});

test('no scope gives a key access to routes for admins or to routes about users', () => {
  const usable = routes.filter(({ scope }) => scope);
  expect(usable.filter(({ access }) => access !== 'user')).toEqual([]);
  expect(usable.filter(({ path }) => /^\/api\/(users|auth|assistant|integration-keys|webhook-endpoints)/.test(path))).toEqual([]);
});

test('clinic, subscription, guards and plan are checked as for users', async () => {
  const voids = routes.find(({ guards }) => guards?.includes('voids_need_admin'));
  if (!voids?.scope) throw new Error('no guarded route');
  const code = (changed: object, scopes: string[] = [voids.scope as string]) => checkWith(scopes, changed)(voids);
  const past = { seconds: 0n, nanos: 0 };
  expect(await code({ clinicActive: false, subscriptionExpiresAt: past })).toBe('CLINIC_SUSPENDED');
  expect(await code({ subscriptionExpiresAt: past, features: [] }, [])).toBe('SUBSCRIPTION_EXPIRED');
  expect(await code({ guards: ['voids_need_admin'], features: [] }, [])).toBe('SCOPE_REQUIRED');
  expect(await code({ guards: ['voids_need_admin'], features: [] })).toBe('FORBIDDEN');
  expect(await code({ features: [] })).toBe('PLAN_UPGRADE_REQUIRED');
});
