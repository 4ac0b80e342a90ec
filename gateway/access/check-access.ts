// Decides on each request whether the caller may use the route, from the live state in identity. The order of the checks is part of the
// public API: token, limit of the clinic, user, clinic, subscription, read-only mode, second factor, role, plan, feature toggles, clinic type.

import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { Clock } from '@clinic/lib/clock/clock.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import type { Caller } from '@clinic/lib/rpc/caller.ts';
import type { AccessState } from '@clinic/proto/identity/v1/access_pb.js';
import type { Request } from 'express';
import type { Guard, Route } from '../http/route.ts';
import type { ClinicLimits } from '../limits/clinic-limits.ts';
import type { Operating } from '../limits/operating-state.ts';
import type { FindOperator } from './operator-keys.ts';
import type { ResolveAccess } from './resolve-access.ts';
import type { VerifyToken } from './tokens.ts';

/** The requirements of a route. */
export type Requirements = Pick<Route, 'access' | 'guard' | 'feature' | 'dental' | 'withoutMfa' | 'whileReadOnly'> & Partial<Pick<Route, 'method'>>;

/** Returns the caller of the request, or throws the first check that fails. */
export type CheckAccess = (route: Requirements, request: Request, requestId: string, ip: string) => Promise<Caller> | Caller;

export type AccessOptions = {
  resolveAccess: ResolveAccess;
  verifyToken: VerifyToken;
  findOperator: FindOperator;
  operating: Operating;
  clinicLimits: ClinicLimits;
  clock: Clock;
};

export function createAccessCheck({ resolveAccess, verifyToken, findOperator: operatorOf, operating, clinicLimits, clock }: AccessOptions): CheckAccess {
  async function checkUser(route: Requirements, request: Request, requestId: string, ip: string): Promise<Caller> {
    const claims = await verifyToken(request.headers.authorization);
    const { userId, clinicId, sessionId } = claims;
    if (request.res) request.res.locals.clinicId = clinicId;
    const [found] = await Promise.all([resolveAccess(claims, requestId), clinicLimits.count(clinicId), operating.asked]);
    const state = found ?? fail('UNAUTHENTICATED'); // the user has been deleted since the token was issued
    checkState(state, clock.now());
    if (isChange(route)) operating.checkChange(clinicId);
    checkRoute(route, state);
    return { kind: 'user', id: userId, requestId, ip, role: state.appRole, clinic: clinicOf(clinicId, state), ...(sessionId && { sessionId }) };
  }

  return (route, request, requestId, ip) => {
    switch (route.access) {
      case 'public':
        if (isChange(route)) operating.checkChange();
        return { kind: 'anonymous', id: '', requestId, ip, role: '' };
      case 'superadmin':
        return { kind: 'operator', id: operatorOf(request.headers['x-admin-key']), requestId, ip, role: '' };
      default:
        return checkUser(route, request, requestId, ip);
    }
  };
}

const isChange = ({ method = 'get', whileReadOnly }: Requirements) => method !== 'get' && !whileReadOnly;

function checkState(state: AccessState, now: Date): void {
  if (!state.userActive) fail('USER_INACTIVE');
  if (state.sessionEnded) fail('UNAUTHENTICATED', 'The session has ended: sign in again');
  if (!state.clinicActive) fail('CLINIC_SUSPENDED');
  const expires = state.subscriptionExpiresAt;
  if (state.plan !== 'forever_free' && expires && timestampMs(expires) <= now.getTime()) fail('SUBSCRIPTION_EXPIRED');
}

/** The roles that a guard lets through. */
const PASSES: Record<Guard, readonly string[]> = {
  voids_need_admin: ['admin'],
  exports_need_admin: ['admin'],
  staff_creation_needs_admin: ['admin'],
  revenue_hidden_from_receptionists: ['admin', 'doctor'],
};

function checkRoute(route: Requirements, state: AccessState): void {
  if (state.mfaMissing && !route.withoutMfa) fail('MFA_SETUP_REQUIRED');
  if (route.access === 'admin' && state.appRole !== 'admin') fail('FORBIDDEN');
  if (route.guard && state.guards.includes(route.guard) && !PASSES[route.guard].includes(state.appRole)) fail('FORBIDDEN');
  if (route.feature && !state.features.includes(route.feature)) fail(state.switchedOff.includes(route.feature) ? 'FEATURE_DISABLED' : 'PLAN_UPGRADE_REQUIRED');
  if (route.dental && state.clinicType !== 'dental') fail('DENTAL_CLINIC_REQUIRED');
}

function clinicOf(id: string, { plan, timezone, country, doctorLimit }: AccessState) {
  return { id, plan, timezone, country, ...(doctorLimit !== undefined && { doctorLimit }) };
}
