// Every error has a reason. Code throws it with fail(); this table maps it to HTTP and gRPC. docs/errors.md is generated from it.
import { Status as Grpc } from '@grpc/grpc-js/build/src/constants.js'; // only this module, since the whole package takes 20 MB

const entry = (http: number, grpc: Grpc, message: string) => ({ http, grpc, message });
/** A value of the request is well-formed but cannot be used. */
const unusable = (message: string) => entry(400, Grpc.FAILED_PRECONDITION, message);
const unauthenticated = (message: string) => entry(401, Grpc.UNAUTHENTICATED, message);
const forbidden = (message: string) => entry(403, Grpc.PERMISSION_DENIED, message);
/** The state of a record does not allow the operation. */
const refused = (message: string) => entry(409, Grpc.FAILED_PRECONDITION, message);
const exists = (message: string) => entry(409, Grpc.ALREADY_EXISTS, message);

export const REASONS = {
  VALIDATION_ERROR: entry(400, Grpc.INVALID_ARGUMENT, 'The request is not valid: see details'),
  INVALID_JSON: entry(400, Grpc.INVALID_ARGUMENT, 'The request body is not valid JSON'),
  INVALID_INVITE_CODE: unusable('The invite code does not exist, has been used, has expired or was issued for another e-mail address'),
  INVALID_RESET_TOKEN: unusable('The password reset link is not valid, has been used or has expired: request a new one'),
  AMOUNT_EXCEEDS_BALANCE: unusable('The amount exceeds the outstanding balance of the payment plan'),
  INVALID_TEMPLATE_VARS: unusable('The message contains an unknown variable: it may use {nombre}, {clinica}, {procedimiento} and {ultima_visita}'),
  INVALID_OTP: unusable('The verification code is wrong or has expired'),
  UNAUTHENTICATED: unauthenticated('Authentication is required: send Authorization: Bearer <access token>'),
  TOKEN_EXPIRED: unauthenticated('The access token has expired: refresh the session or sign in again'),
  INVALID_CREDENTIALS: unauthenticated('Wrong e-mail address or password'),
  MFA_REQUIRED: unauthenticated('This account has a second factor: send the mfa_token in details and a code to /api/auth/mfa'),
  INVALID_PIN: unauthenticated('Wrong PIN'),
  INVALID_REFRESH_TOKEN: unauthenticated('The session has ended: sign in again'),
  INVALID_SIGNATURE: unauthenticated('The signature does not match the request body'),
  INVALID_ADMIN_KEY: unauthenticated('The X-Admin-Key header is missing or not valid'),
  SUBSCRIPTION_EXPIRED: entry(402, Grpc.PERMISSION_DENIED, 'The subscription of the clinic has expired: renew it to continue'),
  FORBIDDEN: forbidden('Your role does not allow this action'),
  SCOPE_REQUIRED: forbidden('The integration key lacks the scope of this route, or keys cannot use it'),
  MFA_SETUP_REQUIRED: forbidden('The clinic requires a second factor of its admins: set it up at /api/users/me/mfa'),
  SIGN_IN_REQUIRED: forbidden('Your last sign-in with the password is older than 15 minutes: send your password, or sign in with it again'),
  USER_INACTIVE: forbidden('This user account is deactivated'),
  CLINIC_SUSPENDED: forbidden('This clinic is suspended'),
  PLAN_UPGRADE_REQUIRED: forbidden('The plan of the clinic does not include this feature: upgrade the plan'),
  FEATURE_DISABLED: forbidden('The clinic has switched this feature off: an admin can switch it on again at /api/clinics/features'),
  DENTAL_CLINIC_REQUIRED: forbidden('This feature is available only to dental clinics'),
  PIN_LOCKED: forbidden('Too many wrong PINs: wait for the seconds in the Retry-After header or sign in with the password'),
  USER_LIMIT_REACHED: entry(403, Grpc.RESOURCE_EXHAUSTED, 'The plan of the clinic allows no more active users: deactivate a user or upgrade the plan'),
  DOCTOR_LIMIT_REACHED: entry(403, Grpc.RESOURCE_EXHAUSTED, 'The plan of the clinic allows no more active doctors: deactivate a doctor or upgrade the plan'),
  NOT_FOUND: entry(404, Grpc.NOT_FOUND, 'Not found'),
  METHOD_NOT_ALLOWED: entry(405, Grpc.UNIMPLEMENTED, 'The path does not support this method: see the Allow header'),
  CONFLICT: entry(409, Grpc.ABORTED, 'The record was changed by another request: read it again and retry'),
  LAST_ADMIN: refused('The clinic needs at least one active admin: give another user the admin role first'),
  EMAIL_TAKEN: exists('An account with this e-mail address already exists'),
  PHONE_TAKEN: exists('Another patient of the clinic has this phone number'),
  SLOT_TAKEN: entry(409, Grpc.ABORTED, 'Slot no longer available'),
  SLOT_UNAVAILABLE: refused('Slot no longer available'),
  APPOINTMENT_NOT_ACTIVE: refused('Only a confirmed or pending appointment can be rescheduled'),
  OFFER_NOT_OPEN: refused('The waitlist offer is no longer open: it was answered, has expired or was withdrawn'),
  APPOINTMENT_TYPE_EXISTS: exists('The clinic already has an appointment type with this name'),
  KEY_EXISTS: exists('The clinic already has an integration key with this name'),
  WEBHOOK_LIMIT_REACHED: refused('A clinic can have at most 20 webhook endpoints: delete one first'),
  WEBHOOK_DISABLED: refused('The webhook endpoint is switched off: switch it on first'),
  RESOURCE_EXISTS: exists('The clinic already has a chair or a room with this name'),
  WAITLIST_ENTRY_EXISTS: exists('The patient is already on the waitlist for the same doctor, dates and times'),
  WAITLIST_ENTRY_BOOKED: refused('The waitlist entry was booked: cancel its appointment instead'),
  MERGE_REFUSED: refused('These two patient records cannot be merged in this direction'),
  MERGE_NOT_UNDOABLE: refused('The merge cannot be undone: it was undone already, is older than 30 days, or a later merge depends on it'),
  BOOKING_CLOSED: refused('The booking has expired, or five wrong codes were sent: start again'),
  BOOKING_AT_DESK: refused('Only the clinic itself can book this appointment: call or write to it'),
  INSIDE_CANCELLATION_NOTICE: refused('The appointment begins too soon to be moved or cancelled by the patient: ask the clinic'),
  CHECK_IN_CLOSED: refused("Check-in is possible only for one of today's appointments that is neither cancelled nor over"),
  CHAT_NOT_STARTED: refused('No phone number awaits verification: request a code first'),
  CHAT_NOT_CONNECTED: refused('No chat number is connected, so no message can be sent'),
  CHAT_WINDOW_CLOSED: refused('The patient has not written in the last 24 hours: only a template message can be sent'),
  CHAT_RECIPIENT_UNKNOWN: refused('The recipient hides the phone number, so no message can be sent'),
  CANNED_REPLY_EXISTS: exists('A canned reply with this title already exists'),
  ASSISTANT_ACTION_CLOSED: refused('The proposed action has already been answered or has expired'),
  DEMO_NOT_PENDING: refused('The demo request has already been answered'),
  INVITE_CODE_USED: refused('The invite code has already been used'),
  NOTHING_TO_TREAT: refused('All findings of the dental chart are treated or in an active treatment plan'),
  OPTION_IS_CHOSEN: refused('The chosen treatment option cannot be deleted: choose another one first'),
  NOTE_SIGNED: refused('The clinical note is signed and can only be amended'),
  NOTE_NOT_SIGNED: refused('The clinical note is a draft: its author can still change it'),
  FORM_SIGNED: refused('The form is signed and cannot change'),
  PROPOSAL_DECIDED: refused('The proposed medical alert has already been accepted or dismissed'),
  TREATMENT_PLAN_CANCELLED: refused('The treatment plan is cancelled: set another status first'),
  QUOTE_EMPTY: refused('The treatment option has no steps to quote'),
  QUOTE_UNPRICED: refused('A quote needs a price on each step: see details'),
  QUOTE_EXPIRED: refused('The quote has expired: create a new one'),
  QUOTE_ACCEPTED: refused('The quote has already been accepted'),
  DTE_NOT_CONFIGURED: refused('Tax documents are not configured: an admin sets issuer, credentials at the tax authority and certificate at /api/dte/issuer'),
  DTE_NOT_ALLOWED: refused('The type, status or age of the tax document does not allow this operation'),
  DTE_POINT_OF_SALE_TAKEN: exists('Another clinic of this taxpayer uses this point of sale: choose another one'),
  IDEMPOTENCY_KEY_REUSED: exists('This Idempotency-Key was already used with a different request: use a new key'),
  STORAGE_QUOTA_REACHED: entry(413, Grpc.RESOURCE_EXHAUSTED, 'The file exceeds the storage quota of the plan of the clinic: delete files or upgrade the plan'),
  PAYLOAD_TOO_LARGE: entry(413, Grpc.RESOURCE_EXHAUSTED, 'The request body is too large'),
  UNSUPPORTED_MEDIA_TYPE: entry(415, Grpc.INVALID_ARGUMENT, 'The media type of the request body is not supported: send Content-Type: application/json'),
  CHAT_MEDIA_REFUSED: entry(422, Grpc.FAILED_PRECONDITION, 'Files of this type or size cannot be shown'),
  MALWARE_FOUND: entry(422, Grpc.FAILED_PRECONDITION, 'The file contains malware'),
  DTE_REJECTED: entry(422, Grpc.FAILED_PRECONDITION, 'The tax authority rejected the document: see observations'),
  RATE_LIMITED: entry(429, Grpc.RESOURCE_EXHAUSTED, 'Too many requests: wait for the seconds in the Retry-After header'),
  ASSISTANT_BUDGET_SPENT: entry(429, Grpc.RESOURCE_EXHAUSTED, 'The clinic has used up the daily budget of the assistant'),
  INTERNAL: entry(500, Grpc.INTERNAL, 'Internal error: the X-Request-Id header identifies the request in the logs'),
  CHAT_PROVIDER_ERROR: entry(502, Grpc.ABORTED, 'The chat provider rejected the request or did not answer'),
  UNAVAILABLE: entry(503, Grpc.UNAVAILABLE, 'The service is temporarily unavailable: retry in a moment'),
  READ_ONLY: entry(
    503,
    Grpc.FAILED_PRECONDITION,
    'Changes are not possible at the moment because of maintenance: retry after the seconds in the Retry-After header',
  ),
  ASSISTANT_UNAVAILABLE: entry(503, Grpc.UNAVAILABLE, 'The language model of the assistant did not answer or did not finish its answer: retry in a moment'),
  LIMIT_CHECK_UNAVAILABLE: entry(503, Grpc.UNAVAILABLE, 'The plan limit could not be checked, so nothing was changed: retry in a moment'),
};

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

/** Throws the error of a reason. `message` replaces the message in the table with a more specific one. */
export function fail(reason: Reason, message?: string, details?: Detail[]): never {
  throw new ServiceError(reason, message, details);
}

/** Throws the error of a reason that no longer applies after `seconds`. The gateway sends them as Retry-After. */
export function failFor(reason: Reason, seconds: number, message?: string): never {
  throw new ServiceError(reason, message, [{ path: RETRY_AFTER, message: String(seconds) }]);
}

/** After how many seconds a change is worth another attempt while it is unknown how long changes are refused. */
export const READ_ONLY_SECONDS = 60;

/** Throws READ_ONLY while the clinic is read-only. */
export function refuseReadOnly({ readOnly }: { readOnly: boolean }): void {
  if (readOnly) failFor('READ_ONLY', READ_ONLY_SECONDS);
}

/** The path of the error detail that contains the seconds to wait. */
export const RETRY_AFTER = 'retry_after';

/** Throws VALIDATION_ERROR for a field. */
export function invalid(path: string, message: string): never {
  throw new ServiceError('VALIDATION_ERROR', `${path}: ${message}`, [{ path, message }]);
}

/** Throws VALIDATION_ERROR if there is a fault. */
export function throwIfInvalid(fault: Detail | undefined): void {
  if (fault) invalid(fault.path, fault.message);
}

/** Returns the row, or throws NOT_FOUND with the message of the specification, for example `Doctor not found`. */
export function found<T>(row: T | undefined, noun: string): T {
  return row ?? fail('NOT_FOUND', `${noun} not found`);
}

/** The reason to report when a constraint is violated, by the name of the constraint. */
export type Constraints = Record<string, Reason>;

/** Maps any error to the one that is returned to the caller. Only this function maps error codes of PostgreSQL (appendix A of its manual) and of sockets. */
export function toServiceError(error: unknown, constraints: Constraints): ServiceError {
  if (error instanceof ServiceError) return error;
  const { code, constraint } = error as { code?: string; constraint?: string };
  const reason = constraint ? constraints[constraint] : undefined;
  if (reason) return new ServiceError(reason);
  if (typeof code !== 'string') return new ServiceError(CONNECTION_LOST.test((error as Error).message) ? 'UNAVAILABLE' : 'INTERNAL');
  if (code.startsWith('22') || code === '23514' || code === '23502') return new ServiceError('VALIDATION_ERROR', 'A value is out of range');
  if (code === '40001' || code === '40P01' || code === '23505' || code === '23P01' || code === '23503') return new ServiceError('CONFLICT');
  if (UNAVAILABLE_CODES.has(code) || code.startsWith('08') || code.startsWith('53') || code.startsWith('57')) return new ServiceError('UNAVAILABLE');
  return new ServiceError('INTERNAL');
}

// Messages of errors that the PostgreSQL driver throws without a code when a connection breaks or cannot be opened.
const CONNECTION_LOST =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|Query read timeout)/;

// lock_not_available, idle_in_transaction_session_timeout and transaction_timeout.
const TIMEOUTS = ['55P03', '25P03', '25P04'];
/** Codes of errors of sockets that could not be connected: nothing was sent. */
export const UNREACHABLE_CODES = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN'];
const SOCKET_ERRORS = [...UNREACHABLE_CODES, 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'];
// ENCRYPTION_KEY_UNKNOWN: this process does not have the key yet (lib/crypto/crypto.ts).
const UNAVAILABLE_CODES = new Set([...TIMEOUTS, ...SOCKET_ERRORS, 'ENCRYPTION_KEY_UNKNOWN']);
