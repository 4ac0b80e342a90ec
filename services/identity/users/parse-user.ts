// Parses requests that create or change users.
import { parseEmail } from '@clinic/lib/formats/email.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parseName } from '@clinic/lib/formats/person-name.ts';
import type { CreateUserRequest } from '@clinic/proto/identity/v1/user_pb.js';
import { parseShownPhone } from '../clinics/parse-phone.ts';

const ROLES = ['admin', 'doctor', 'receptionist'] as const;

export const parseRole = (role: string) => parseOneOf('appRole', role, ROLES);

/** `country` is that of the clinic. */
export function parseNewUser(request: CreateUserRequest, country: string) {
  return {
    email: parseEmail('email', request.email),
    full_name: parseName('fullName', request.fullName),
    phone: parseShownPhone(request.phone, country),
    app_role: parseRole(request.appRole || 'receptionist'),
  };
}
