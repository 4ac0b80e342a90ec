// Parses requests that create or change users.
import { invalid } from '@clinic/lib/errors/errors.ts';
import { parseEmail } from '@clinic/lib/formats/email.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parseOptionalText, parseText } from '@clinic/lib/formats/text.ts';
import type { CreateUserRequest } from '@clinic/proto/identity/v1/user_pb.js';
import { passwordFault } from '../credentials/password-policy-rules.ts';

const ROLES = ['admin', 'doctor', 'receptionist'] as const;

export const parseRole = (role: string) => parseOneOf('appRole', role, ROLES);

/** A new password that complies with the policy. */
export function parsePassword(password: string): string {
  const fault = passwordFault(password);
  if (fault) invalid('password', fault);
  return password;
}

export function parseNewUser(request: CreateUserRequest) {
  return {
    email: parseEmail('email', request.email),
    full_name: parseText('fullName', request.fullName, 200),
    phone: parseOptionalText('phone', request.phone, 40),
    app_role: parseRole(request.appRole || 'receptionist'),
    password: parsePassword(request.password),
  };
}
