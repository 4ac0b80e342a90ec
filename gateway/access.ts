// Who may pass, asked live on each request. The order of the checks is part of the interface: token, user, clinic,
// subscription, role, plan, clinic type.

import { timestampMs } from '@bufbuild/protobuf/wkt';
import { type Caller, serviceCaller } from '@clinic/lib/caller.ts';
import type { Clock } from '@clinic/lib/clock.ts';
import { fail, ServiceError } from '@clinic/lib/errors.ts';
import { AccessService, type AccessState } from '@clinic/proto/identity/v1/access_pb.js';
import type { Transport } from '@connectrpc/connect';
import type { Request } from 'express';
import type { OperatorOf } from './operators.ts';
import type { Route } from './route.ts';
import { call } from './rpc.ts';
import type { VerifyToken } from './tokens.ts';

/** What the checks need to know of a route. */
export type Guarded = Pick<Route, 'access' | 'feature' | 'dental'>;

/** The caller that a request comes from, or the first reason why it may not pass. */
export type Admit = (route: Guarded, request: Request, requestId: string, ip: string) => Promise<Caller> | Caller;

export type AccessOptions = { identity: Transport; verifyToken: VerifyToken; operatorOf: OperatorOf; clock: Clock };

export function createAdmit({ identity, verifyToken, operatorOf, clock }: AccessOptions): Admit {
  async function admitUser(route: Guarded, request: Request, requestId: string, ip: string): Promise<Caller> {
    const { userId, clinicId, sessionId } = await verifyToken(request.headers.authorization);
    const state = await call(identity, AccessService.method.resolveAccess, { userId, clinicId, sessionId }, serviceCaller('gateway', requestId)).catch(
      unknownUser,
    );
    checkState(state, clock.now());
    checkRoute(route, state);
    return { kind: 'user', id: userId, requestId, ip, role: state.appRole, clinic: clinicOf(clinicId, state), ...(sessionId && { sessionId }) };
  }

  return (route, request, requestId, ip) => {
    switch (route.access) {
      case 'public':
        return { kind: 'anonymous', id: '', requestId, ip, role: '' };
      case 'superadmin':
        return { kind: 'operator', id: operatorOf(request.headers['x-admin-key']), requestId, ip, role: '' };
      default:
        return admitUser(route, request, requestId, ip);
    }
  };
}

/** A token of a user who is gone proves nothing any more. */
function unknownUser(error: unknown): never {
  if (error instanceof ServiceError && error.reason === 'NOT_FOUND') fail('UNAUTHENTICATED');
  throw error;
}

function checkState(state: AccessState, now: Date): void {
  if (!state.userActive) fail('USER_INACTIVE');
  if (state.sessionEnded) fail('UNAUTHENTICATED', 'The session has ended: sign in again');
  if (!state.clinicActive) fail('CLINIC_SUSPENDED');
  const expires = state.subscriptionExpiresAt;
  if (state.plan !== 'forever_free' && expires && timestampMs(expires) <= now.getTime()) fail('SUBSCRIPTION_EXPIRED');
}

function checkRoute(route: Guarded, state: AccessState): void {
  if (route.access === 'admin' && state.appRole !== 'admin') fail('FORBIDDEN');
  if (route.feature && !state.features.includes(route.feature)) fail('PLAN_UPGRADE_REQUIRED');
  if (route.dental && state.clinicType !== 'dental') fail('DENTAL_CLINIC_REQUIRED');
}

function clinicOf(id: string, { plan, timezone, country, doctorLimit }: AccessState) {
  return { id, plan, timezone, country, ...(doctorLimit !== undefined && { doctorLimit }) };
}
