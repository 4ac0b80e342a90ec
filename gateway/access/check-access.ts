// Decides on each request whether the caller may use the route, from the live state in identity. The order of the checks is part of the
// public API: token, limits of the user and of the clinic, user, clinic, subscription, read-only mode, scope of a key, second factor, role, plan, feature
// toggles, clinic type.

import type { Clock } from '@clinic/lib/clock/clock.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { hasExpired } from '@clinic/lib/formats/plans.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import type { AccessState } from '@clinic/proto/identity/v1/access_pb.js';
import type { Request } from 'express';
import type { Guard, Route } from '../http/route.ts';
import type { ClinicLimits } from '../limits/clinic-limits.ts';
import type { Operating } from '../limits/operating-state.ts';
import { keyHashOf, type ResolveKey } from './integration-keys.ts';
import type { FindOperator } from './operator-keys.ts';
import type { ResolveAccess } from './resolve-access.ts';
import type { VerifyToken } from './tokens.ts';

/** The requirements of a route. */
export type Requirements = Pick<Route, 'access' | 'roles' | 'guards' | 'feature' | 'dental' | 'withoutMfa' | 'whileReadOnly'> &
  Partial<Pick<Route, 'method' | 'scope'>> & {
    /** The request was counted by an earlier check. */
    isCounted?: boolean;
  };

/** Returns the caller of the request, or throws the first check that fails. */
export type CheckAccess = (route: Requirements, request: Request, requestId: string, ip: string) => Promise<Caller> | Caller;

export type AccessOptions = {
  resolveAccess: ResolveAccess;
  resolveKey: ResolveKey;
  verifyToken: VerifyToken;
  findOperator: FindOperator;
  operating: Operating;
  clinicLimits: ClinicLimits;
  clock: Clock;
};

export function createAccessCheck(options: AccessOptions): CheckAccess {
  const { resolveAccess, resolveKey, verifyToken, findOperator, operating, clinicLimits, clock } = options;

  async function checkUser(route: Requirements, request: Request, requestId: string, ip: string): Promise<Caller> {
    const claims = await verifyToken(request.headers.authorization);
    const { userId, clinicId, sessionId } = claims;
    if (request.res) request.res.locals.clinicId = clinicId;
    const [found] = await Promise.all([resolveAccess(claims, requestId), !route.isCounted && clinicLimits.count(clinicId, userId), operating.ready]);
    const state = found ?? fail('UNAUTHENTICATED'); // the user has been deleted since the token was issued
    checkState(state, clock.now());
    if (isChange(route)) operating.checkChange(clinicId);
    checkRoute(route, state, isSelf(route, request, userId));
    return { kind: 'user', id: userId, requestId, ip, role: state.appRole, clinic: clinicOf(clinicId, state), ...(sessionId && { sessionId }) };
  }

  async function checkKey(route: Requirements, keyHash: string, request: Request, requestId: string, ip: string): Promise<Caller> {
    const { id, clinicId, scopes, state = fail('UNAVAILABLE') } = (await resolveKey(keyHash, requestId)) ?? fail('UNAUTHENTICATED', INVALID_KEY);
    if (request.res) request.res.locals.clinicId = clinicId;
    await Promise.all([!route.isCounted && clinicLimits.count(clinicId), operating.ready]);
    checkState(state, clock.now());
    if (isChange(route)) operating.checkChange(clinicId);
    if (!route.scope) fail('SCOPE_REQUIRED', 'Integration keys cannot use this route');
    if (!scopes.includes(route.scope)) fail('SCOPE_REQUIRED', `The integration key needs the scope ${route.scope}`);
    checkRoute(route, state);
    return { kind: 'integration_key', id, requestId, ip, role: '', clinic: clinicOf(clinicId, state) };
  }

  return (route, request, requestId, ip) => {
    switch (route.access) {
      case 'public':
        if (isChange(route)) operating.checkChange();
        return { kind: 'anonymous', id: '', requestId, ip, role: '' };
      case 'superadmin':
        return { kind: 'operator', id: findOperator(request.headers['x-admin-key']), requestId, ip, role: '' };
      default: {
        const keyHash = keyHashOf(request.headers.authorization);
        return keyHash === undefined ? checkUser(route, request, requestId, ip) : checkKey(route, keyHash, request, requestId, ip);
      }
    }
  };
}

const INVALID_KEY = 'The integration key is unknown, revoked or expired';

const isChange = ({ method = 'get', whileReadOnly }: Requirements) => method !== 'get' && !whileReadOnly;

function checkState(state: AccessState, now: Date): void {
  if (!state.userActive) fail('USER_INACTIVE');
  if (state.sessionEnded) fail('UNAUTHENTICATED', 'The session has ended: sign in again');
  if (!state.clinicActive) fail('CLINIC_SUSPENDED');
  if (hasExpired(state.plan, state.subscriptionExpiresAt, now)) fail('SUBSCRIPTION_EXPIRED');
}

/** The roles that each guard lets through. Integration keys may see revenue: an admin allowed it by granting the scope. */
const PASSES: Record<Guard, readonly string[]> = {
  voids_need_admin: ['admin'],
  exports_need_admin: ['admin'],
  staff_creation_needs_admin: ['admin'],
  revenue_hidden_from_receptionists: ['admin', 'doctor', 'integration_key'],
};

const isSelf = ({ roles }: Requirements, { params }: Request, userId: string) =>
  roles?.self !== undefined && String(params[roles.self]).toLowerCase() === userId;

function checkRoute(route: Requirements, state: AccessState, self = false): void {
  if (state.mfaMissing && !route.withoutMfa) fail('MFA_SETUP_REQUIRED');
  if (route.access === 'admin' && state.appRole !== 'admin') fail('FORBIDDEN');
  if (route.roles && !self && !route.roles.allowed.includes(state.appRole)) fail('FORBIDDEN');
  for (const guard of route.guards ?? []) if (state.guards.includes(guard) && !PASSES[guard].includes(state.appRole)) fail('FORBIDDEN');
  if (route.feature && !state.features.includes(route.feature)) fail(state.switchedOff.includes(route.feature) ? 'FEATURE_DISABLED' : 'PLAN_UPGRADE_REQUIRED');
  if (route.dental && state.clinicType !== 'dental') fail('DENTAL_CLINIC_REQUIRED');
}

function clinicOf(id: string, { plan, timezone, country, doctorLimit }: AccessState) {
  return { id, plan, timezone, country, ...(doctorLimit !== undefined && { doctorLimit }) };
}
