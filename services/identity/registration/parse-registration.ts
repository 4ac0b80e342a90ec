import type { Db } from '@clinic/lib/db/db.ts';
import { parseEmail } from '@clinic/lib/formats/email.ts';
import { DEFAULT_ZONE } from '@clinic/lib/formats/local-date.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parseName } from '@clinic/lib/formats/person-name.ts';
import { parseOptionalText, parseText } from '@clinic/lib/formats/text.ts';
import type { RegisterClinicRequest } from '@clinic/proto/identity/v1/session_pb.js';
import { parseShownPhone } from '../clinics/parse-phone.ts';
import { parseTimezone } from '../clinics/parse-timezone.ts';
import { requireValidPassword } from '../credentials/password-policy-rules.ts';

/** The country of a new clinic, which the database sets. */
const COUNTRY = 'SV';
const CLINIC_TYPES = ['dental', 'medical', 'other'] as const;

export async function parseRegistration(db: Db, request: RegisterClinicRequest) {
  requireValidPassword(request.password, [request.email, request.adminName, request.clinicName]);
  return {
    invite_code: parseText('inviteCode', request.inviteCode, 100),
    name: parseName('clinicName', request.clinicName),
    clinic_type: parseOneOf('clinicType', request.clinicType || 'dental', CLINIC_TYPES),
    admin_name: parseName('adminName', request.adminName),
    email: parseEmail('email', request.email),
    password: request.password,
    phone: parseShownPhone(request.phone, COUNTRY),
    city: parseOptionalText('city', request.city, 100),
    timezone: await parseTimezone(db, request.timezone ?? DEFAULT_ZONE),
  };
}
