// What sign-in takes from a request, checked. gRPC is a door of its own, beside the gateway's.

import { invalid } from '@clinic/lib/errors/errors.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import type { LoginRequest } from '@clinic/proto/identity/v1/session_pb.js';
import { normalEmail } from '../credentials/email-rules.ts';
import { MAX_PASSWORD } from '../credentials/password-policy-rules.ts';

/** The e-mail is undefined when no account could have it: the work is done all the same. */
export function readCredentials(request: LoginRequest): { email: string | undefined; password: string } {
  parseText('email', request.email, 254);
  if (request.password === '') invalid('password', 'must not be empty');
  // Compatibility forms may shrink, so more than the longest password is let through to be wrong.
  if (request.password.length > 4 * MAX_PASSWORD) invalid('password', 'is too long');
  return { email: normalEmail(request.email), password: request.password };
}
