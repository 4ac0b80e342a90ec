// What requests say of a user, checked.

import { invalid } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parseOptionalText, parseText } from '@clinic/lib/formats/text.ts';
import type { CreateUserRequest } from '@clinic/proto/identity/v1/user_pb.js';
import { normalEmail } from '../credentials/email-rules.ts';
import { passwordFault } from '../credentials/password-policy-rules.ts';

const ROLES = ['admin', 'doctor', 'receptionist'] as const;

export const readRole = (role: string) => parseOneOf('appRole', role, ROLES);

/** A new password, or VALIDATION_ERROR with what is wrong with it. */
export function readPassword(password: string): string {
  const fault = passwordFault(password);
  if (fault) invalid('password', fault);
  return password;
}

export function readNewUser(request: CreateUserRequest) {
  return {
    email: normalEmail(request.email) ?? invalid('email', 'must be an e-mail address'),
    full_name: parseText('fullName', request.fullName, 200),
    phone: parseOptionalText('phone', request.phone, 40),
    app_role: readRole(request.appRole || 'receptionist'),
    password: readPassword(request.password),
  };
}
