// What registration and sign-in take from a request, checked. gRPC is a door of its own, beside the gateway's.
import { checkOneOf, checkOptionalText, checkText } from '@clinic/lib/check.ts';
import { invalid } from '@clinic/lib/errors.ts';
import type { LoginRequest, RegisterClinicRequest } from '@clinic/proto/identity/v1/session_pb.js';
import { isTimezone } from '../clinics/timezone-rules.ts';
import { normalEmail } from '../credentials/email-rules.ts';
import { MAX_PASSWORD, passwordFault } from '../credentials/password-policy-rules.ts';

const CLINIC_TYPES = ['dental', 'medical', 'other'] as const;

export function readRegistration(request: RegisterClinicRequest) {
  const fault = passwordFault(request.password);
  if (fault) invalid('password', fault);
  const timezone = request.timezone ?? 'America/El_Salvador';
  return {
    invite_code: checkText('inviteCode', request.inviteCode, 100),
    name: checkText('clinicName', request.clinicName, 200),
    clinic_type: checkOneOf('clinicType', request.clinicType || 'dental', CLINIC_TYPES),
    admin_name: checkText('adminName', request.adminName, 200),
    email: normalEmail(request.email) ?? invalid('email', 'must be an e-mail address'),
    password: request.password,
    phone: checkOptionalText('phone', request.phone, 40),
    city: checkOptionalText('city', request.city, 100),
    timezone: isTimezone(timezone) ? timezone : invalid('timezone', 'must be an IANA time zone, for example America/El_Salvador'),
  };
}

/** The e-mail is undefined when no account could have it: the work is done all the same. */
export function readCredentials(request: LoginRequest): { email: string | undefined; password: string } {
  checkText('email', request.email, 254);
  if (request.password === '') invalid('password', 'must not be empty');
  // Compatibility forms may shrink, so more than the longest password is let through to be wrong.
  if (request.password.length > 4 * MAX_PASSWORD) invalid('password', 'is too long');
  return { email: normalEmail(request.email), password: request.password };
}
