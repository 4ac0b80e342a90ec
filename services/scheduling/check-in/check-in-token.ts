// The token of a check-in code, which names an appointment. Check-in is possible on the day of the appointment only.
import type { NamedKey } from '@clinic/lib/config/config.ts';
import { linkToken, parseLinkToken } from '@clinic/lib/crypto/link-token.ts';

type CheckIn = { clinicId: string; appointmentId: string };

export const checkInToken = (keys: NamedKey[], { clinicId, appointmentId }: CheckIn) => linkToken(keys, 'clinic check-in', { clinicId, id: appointmentId });

/** Undefined unless a key of the ring has signed the token. */
export function parseCheckInToken(keys: NamedKey[], token: string): CheckIn | undefined {
  const linked = parseLinkToken(keys, 'clinic check-in', token);
  return linked && { clinicId: linked.clinicId, appointmentId: linked.id };
}
