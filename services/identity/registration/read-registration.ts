// What registration takes from a request, checked. gRPC is a door of its own, beside the gateway's.

import { invalid } from '@clinic/lib/errors/errors.ts';
import { checkOneOf, checkOptionalText, checkText } from '@clinic/lib/formats/check.ts';
import type { RegisterClinicRequest } from '@clinic/proto/identity/v1/session_pb.js';
import { isTimezone } from '../clinics/timezone-rules.ts';
import { normalEmail } from '../credentials/email-rules.ts';
import { passwordFault } from '../credentials/password-policy-rules.ts';

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
