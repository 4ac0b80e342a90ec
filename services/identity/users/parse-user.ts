// Parses requests that create or change users.
import { parseEmail } from '@clinic/lib/formats/email.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parseOptionalText, parseText } from '@clinic/lib/formats/text.ts';
import type { CreateUserRequest } from '@clinic/proto/identity/v1/user_pb.js';

const ROLES = ['admin', 'doctor', 'receptionist'] as const;

export const parseRole = (role: string) => parseOneOf('appRole', role, ROLES);

export function parseNewUser(request: CreateUserRequest) {
  return {
    email: parseEmail('email', request.email),
    full_name: parseText('fullName', request.fullName, 200),
    phone: parseOptionalText('phone', request.phone, 40),
    app_role: parseRole(request.appRole || 'receptionist'),
  };
}
