// The question in the last message that the clinic sent to a phone unprompted.
import { decodeReference } from '../outbound/reference-rules.ts';
import type { OpenQuestion } from './rules/session.ts';

/**
 * A message that the clinic sent unprompted; `at` in ISO 8601. `isQuoted`: whether the message of the patient replies to it. `isEnded`: whether a
 * user has written to the patient since.
 */
export type Asked = { kind: string; reference: string; at: string; isQuoted: boolean; isEnded: boolean };

const OPEN_MS = 3 * 86_400_000;

/** Undefined if the first message is older than three days, or asks nothing. `asked`: the quoted message first, then the newest. */
export function findOpenQuestion([last]: Asked[], now: Date): OpenQuestion | undefined {
  if (!last) return undefined;
  const asked = { askedAt: new Date(last.at), isQuoted: last.isQuoted };
  const reference = now.getTime() - asked.askedAt.getTime() < OPEN_MS ? decodeReference(last.kind, last.reference) : undefined;
  switch (reference?.kind) {
    case 'appointment_reminder':
      return { ...asked, kind: 'reminder', appointmentId: reference.appointmentId };
    case 'waitlist':
      return { ...asked, kind: 'waitlist', entryId: reference.entryId, offerId: reference.offerId };
    case 'recall':
      return { ...asked, kind: 'recall' };
    default:
      return undefined;
  }
}
