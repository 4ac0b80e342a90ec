// Every error has a reason, thrown once by fail() and mapped to HTTP and gRPC by this one table.
// docs/errors.md is written from it.
import { status as Grpc } from '@grpc/grpc-js';

type Entry = { http: number; grpc: Grpc; message: string };

export const REASONS = {
  VALIDATION_ERROR: { http: 400, grpc: Grpc.INVALID_ARGUMENT, message: 'The request is not valid; see details' },
  INVALID_JSON: { http: 400, grpc: Grpc.INVALID_ARGUMENT, message: 'The body is not valid JSON' },
  INVALID_INVITE_CODE: {
    http: 400,
    grpc: Grpc.FAILED_PRECONDITION,
    message: 'The invite code is not valid, was used, has expired or is meant for another e-mail',
  },
  INVALID_RESET_TOKEN: { http: 400, grpc: Grpc.FAILED_PRECONDITION, message: 'The link is not valid, was used or has expired: ask for a new one' },
  AMOUNT_EXCEEDS_BALANCE: { http: 400, grpc: Grpc.FAILED_PRECONDITION, message: 'The amount is more than what is owed on the payment plan' },
  INVALID_TEMPLATE_VARS: {
    http: 400,
    grpc: Grpc.FAILED_PRECONDITION,
    message: 'The message may use {nombre}, {clinica}, {procedimiento} and {ultima_visita} and no other variable',
  },
  INVALID_OTP: { http: 400, grpc: Grpc.FAILED_PRECONDITION, message: 'The code is wrong or has expired' },
  UNAUTHENTICATED: { http: 401, grpc: Grpc.UNAUTHENTICATED, message: 'Sign in first: send Authorization: Bearer <access token>' },
  TOKEN_EXPIRED: { http: 401, grpc: Grpc.UNAUTHENTICATED, message: 'The access token has expired: refresh the session or sign in again' },
  INVALID_CREDENTIALS: { http: 401, grpc: Grpc.UNAUTHENTICATED, message: 'Wrong e-mail or password' },
  INVALID_PIN: { http: 401, grpc: Grpc.UNAUTHENTICATED, message: 'Wrong PIN' },
  INVALID_REFRESH_TOKEN: { http: 401, grpc: Grpc.UNAUTHENTICATED, message: 'The session has ended: sign in again' },
  INVALID_SIGNATURE: { http: 401, grpc: Grpc.UNAUTHENTICATED, message: 'The signature does not fit the body' },
  INVALID_ADMIN_KEY: { http: 401, grpc: Grpc.UNAUTHENTICATED, message: 'Send a valid X-Admin-Key' },
  SUBSCRIPTION_EXPIRED: { http: 402, grpc: Grpc.PERMISSION_DENIED, message: 'The subscription of the clinic has expired: renew it to go on' },
  FORBIDDEN: { http: 403, grpc: Grpc.PERMISSION_DENIED, message: 'This needs another role' },
  USER_INACTIVE: { http: 403, grpc: Grpc.PERMISSION_DENIED, message: 'This user account is deactivated' },
  CLINIC_SUSPENDED: { http: 403, grpc: Grpc.PERMISSION_DENIED, message: 'This clinic is suspended' },
  PLAN_UPGRADE_REQUIRED: { http: 403, grpc: Grpc.PERMISSION_DENIED, message: 'The plan of the clinic does not include this: upgrade it' },
  DENTAL_CLINIC_REQUIRED: { http: 403, grpc: Grpc.PERMISSION_DENIED, message: 'Only dental clinics have this' },
  PIN_LOCKED: { http: 403, grpc: Grpc.PERMISSION_DENIED, message: 'Too many wrong PINs: wait 15 minutes or sign in with the password' },
  USER_LIMIT_REACHED: { http: 403, grpc: Grpc.RESOURCE_EXHAUSTED, message: 'The plan allows no more users: deactivate one or upgrade' },
  DOCTOR_LIMIT_REACHED: { http: 403, grpc: Grpc.RESOURCE_EXHAUSTED, message: 'The plan allows no more doctors: deactivate one or upgrade' },
  NOT_FOUND: { http: 404, grpc: Grpc.NOT_FOUND, message: 'Not found' },
  METHOD_NOT_ALLOWED: { http: 405, grpc: Grpc.UNIMPLEMENTED, message: 'This path does not answer that method; see Allow' },
  CONFLICT: { http: 409, grpc: Grpc.ABORTED, message: 'The record was changed meanwhile: read it again and repeat' },
  LAST_ADMIN: { http: 409, grpc: Grpc.FAILED_PRECONDITION, message: 'The clinic needs an active admin: make another user admin first' },
  EMAIL_TAKEN: { http: 409, grpc: Grpc.ALREADY_EXISTS, message: 'This e-mail has an account already' },
  PHONE_TAKEN: { http: 409, grpc: Grpc.ALREADY_EXISTS, message: 'Another patient of the clinic has this phone' },
  SLOT_TAKEN: { http: 409, grpc: Grpc.ABORTED, message: 'Slot no longer available' },
  SLOT_UNAVAILABLE: { http: 409, grpc: Grpc.FAILED_PRECONDITION, message: 'Slot no longer available' },
  APPOINTMENT_NOT_ACTIVE: { http: 409, grpc: Grpc.FAILED_PRECONDITION, message: 'Only a confirmed or pending appointment can be moved' },
  OFFER_NOT_OPEN: { http: 409, grpc: Grpc.FAILED_PRECONDITION, message: 'There is no open offer: it was answered, has expired or was withdrawn' },
  MERGE_REFUSED: { http: 409, grpc: Grpc.FAILED_PRECONDITION, message: 'These two patients cannot be merged in this direction' },
  MERGE_NOT_UNDOABLE: { http: 409, grpc: Grpc.FAILED_PRECONDITION, message: 'The merge was undone already, is older than 30 days, or another one rests on it' },
  CHECK_IN_CLOSED: { http: 409, grpc: Grpc.FAILED_PRECONDITION, message: 'Check-in is only for visits of today that are neither cancelled nor over' },
  CHAT_NOT_STARTED: { http: 409, grpc: Grpc.FAILED_PRECONDITION, message: 'Ask for a code first: there is no number to verify' },
  CHAT_WINDOW_CLOSED: {
    http: 409,
    grpc: Grpc.FAILED_PRECONDITION,
    message: 'The patient has not written in the last 24 hours: only a template may be sent',
  },
  CHAT_RECIPIENT_UNKNOWN: { http: 409, grpc: Grpc.FAILED_PRECONDITION, message: 'The user hides the phone and cannot be written to' },
  CANNED_REPLY_EXISTS: { http: 409, grpc: Grpc.ALREADY_EXISTS, message: 'There is a canned reply of this title already' },
  ASSISTANT_ACTION_CLOSED: { http: 409, grpc: Grpc.FAILED_PRECONDITION, message: 'The proposal has been answered already or has expired' },
  DEMO_NOT_PENDING: { http: 409, grpc: Grpc.FAILED_PRECONDITION, message: 'The demo request has been answered already' },
  INVITE_CODE_USED: { http: 409, grpc: Grpc.FAILED_PRECONDITION, message: 'The invite code has been used already' },
  NOTHING_TO_TREAT: { http: 409, grpc: Grpc.FAILED_PRECONDITION, message: 'The chart has no untreated findings' },
  OPTION_IS_CHOSEN: { http: 409, grpc: Grpc.FAILED_PRECONDITION, message: 'The chosen option cannot be removed: choose another one first' },
  QUOTE_EMPTY: { http: 409, grpc: Grpc.FAILED_PRECONDITION, message: 'The option has no steps to quote' },
  QUOTE_EXPIRED: { http: 409, grpc: Grpc.FAILED_PRECONDITION, message: 'The quote has expired: make a new one' },
  QUOTE_ACCEPTED: { http: 409, grpc: Grpc.FAILED_PRECONDITION, message: 'The quote has been accepted already' },
  DTE_NOT_CONFIGURED: {
    http: 409,
    grpc: Grpc.FAILED_PRECONDITION,
    message: 'Tax documents need an issuer, a user at the authority and a certificate: an admin sets them at /api/dte/issuer',
  },
  DTE_NOT_ALLOWED: { http: 409, grpc: Grpc.FAILED_PRECONDITION, message: 'The kind, status or age of the document does not allow this' },
  DTE_POINT_OF_SALE_TAKEN: {
    http: 409,
    grpc: Grpc.ALREADY_EXISTS,
    message: 'Another clinic of this taxpayer counts at this point of sale: choose another one',
  },
  IDEMPOTENCY_KEY_REUSED: { http: 409, grpc: Grpc.ALREADY_EXISTS, message: 'This Idempotency-Key came before with another body: use a new key' },
  PAYLOAD_TOO_LARGE: { http: 413, grpc: Grpc.RESOURCE_EXHAUSTED, message: 'The body is too large' },
  UNSUPPORTED_MEDIA_TYPE: { http: 415, grpc: Grpc.INVALID_ARGUMENT, message: 'Send Content-Type: application/json' },
  CHAT_MEDIA_REFUSED: { http: 422, grpc: Grpc.FAILED_PRECONDITION, message: 'The file is of a type or size that is not shown here' },
  DTE_REJECTED: { http: 422, grpc: Grpc.FAILED_PRECONDITION, message: 'The tax authority refused the document; see details' },
  RATE_LIMITED: { http: 429, grpc: Grpc.RESOURCE_EXHAUSTED, message: 'Too many requests: wait for the seconds in Retry-After' },
  ASSISTANT_BUDGET_SPENT: { http: 429, grpc: Grpc.RESOURCE_EXHAUSTED, message: 'The clinic has used up what the assistant may use today' },
  INTERNAL: { http: 500, grpc: Grpc.INTERNAL, message: 'Something went wrong on our side; the request id helps to find it' },
  CHAT_PROVIDER_ERROR: { http: 502, grpc: Grpc.ABORTED, message: 'The chat provider refused or did not answer' },
  UNAVAILABLE: { http: 503, grpc: Grpc.UNAVAILABLE, message: 'Temporarily unavailable: try again in a moment' },
  ASSISTANT_UNAVAILABLE: {
    http: 503,
    grpc: Grpc.UNAVAILABLE,
    message: 'The model of the assistant did not answer, or did not come to an end: try again in a moment',
  },
  LIMIT_CHECK_UNAVAILABLE: { http: 503, grpc: Grpc.UNAVAILABLE, message: 'The plan limit could not be checked, so nothing was changed: try again in a moment' },
} as const satisfies Record<string, Entry>;

export type Reason = keyof typeof REASONS;
export type Detail = { path: string; message: string };

export class ServiceError extends Error {
  readonly reason: Reason;
  readonly details: Detail[] | undefined;
  constructor(reason: Reason, message?: string, details?: Detail[]) {
    super(message ?? REASONS[reason].message);
    this.name = 'ServiceError';
    this.reason = reason;
    this.details = details;
  }
}

/** Throws the error of a reason, with its own sentence when the general one says too little. */
export function fail(reason: Reason, message?: string, details?: Detail[]): never {
  throw new ServiceError(reason, message, details);
}

/** A 400 that names the field. */
export function invalid(path: string, message: string): never {
  throw new ServiceError('VALIDATION_ERROR', `${path}: ${message}`, [{ path, message }]);
}

/** Throws a 400 when a rule found a fault. */
export function throwIfInvalid(fault: Detail | undefined): void {
  if (fault) invalid(fault.path, fault.message);
}

/** The row, or NOT_FOUND with the specification's sentence, for example `Doctor not found`. */
export function found<T>(row: T | undefined, noun: string): T {
  return row ?? fail('NOT_FOUND', `${noun} not found`);
}

/** Which reason a broken constraint means, by constraint name. */
export type Constraints = Record<string, Reason>;

/** What any thrown thing means to a caller: the one place where a PostgreSQL error code becomes a reason. */
export function toServiceError(error: unknown, constraints: Constraints): ServiceError {
  if (error instanceof ServiceError) return error;
  const { code, constraint } = error as { code?: string; constraint?: string };
  const meant = constraint ? constraints[constraint] : undefined;
  if (meant) return new ServiceError(meant);
  if (typeof code !== 'string') return new ServiceError(CONNECTION_LOST.test((error as Error).message) ? 'UNAVAILABLE' : 'INTERNAL');
  if (code.startsWith('22') || code === '23514' || code === '23502') return new ServiceError('VALIDATION_ERROR', 'A value is out of range');
  if (code === '40001' || code === '40P01' || code === '23505' || code === '23P01' || code === '23503') return new ServiceError('CONFLICT');
  if (UNAVAILABLE_CODES.has(code) || code.startsWith('08') || code.startsWith('53') || code.startsWith('57')) return new ServiceError('UNAVAILABLE');
  return new ServiceError('INTERNAL');
}

// What the driver of PostgreSQL says without a code when a connection breaks, or none comes about.
const CONNECTION_LOST = /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect)/;

// 55P03 lock_timeout; a key that this process is still to be given (lib/crypto/crypto.ts); the rest are sockets that lead nowhere.
const UNAVAILABLE_CODES = new Set(['55P03', 'ENCRYPTION_KEY_UNKNOWN', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN']);
