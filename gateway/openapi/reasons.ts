// The errors that a route can return, for the reference.
import type { Reason } from '@clinic/lib/errors/errors.ts';
import type { Route } from '../http/route.ts';
import { readsJson } from '../pipeline/input.ts';

const USER: Reason[] = ['UNAUTHENTICATED', 'TOKEN_EXPIRED', 'USER_INACTIVE', 'CLINIC_SUSPENDED', 'SUBSCRIPTION_EXPIRED'];
const FEATURE: Reason[] = ['PLAN_UPGRADE_REQUIRED', 'FEATURE_DISABLED'];
const BODY: Reason[] = ['INVALID_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];
const RAW_BODY: Reason[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

/** In the order of the checks. */
export function reasonsOf(route: Route): Reason[] {
  const { access, request, creates, notFound } = route;
  const reasons: (Reason | false | undefined)[] = [
    'RATE_LIMITED',
    ...(access === 'user' || access === 'admin' ? USER : []),
    access === 'superadmin' && 'INVALID_ADMIN_KEY',
    access !== 'superadmin' && route.method !== 'get' && !route.whileReadOnly && 'READ_ONLY',
    (access === 'user' || access === 'admin') && 'SCOPE_REQUIRED',
    (access === 'user' || access === 'admin') && !route.withoutMfa && 'MFA_SETUP_REQUIRED',
    (access === 'admin' || route.roles || route.guards) && 'FORBIDDEN',
    ...(route.feature === undefined ? [] : FEATURE),
    route.dental && 'DENTAL_CLINIC_REQUIRED',
    (request.params || notFound !== undefined) && 'NOT_FOUND',
    'VALIDATION_ERROR', // at least for a path that is not percent-encoded UTF-8
    ...(readsJson(route) ? BODY : []),
    ...(request.raw || request.upload ? RAW_BODY : []),
    ...(route.errors ?? []),
    creates && 'IDEMPOTENCY_KEY_REUSED',
    'INTERNAL',
    'UNAVAILABLE',
  ];
  return [...new Set(reasons.filter((reason) => typeof reason === 'string'))];
}
