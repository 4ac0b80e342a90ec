// The question in the last message that the clinic sent to a phone unprompted.
import { decodeReference } from '../outbound/reference-rules.ts';
import type { OpenQuestion } from './rules/session.ts';

/** A message that the clinic sent unprompted; `at` in ISO 8601. */
export type Asked = { kind: string; reference: string; at: string };

const OPEN_MS = 3 * 86_400_000;

/** Undefined if the first message is older than three days, or asks nothing. `asked`: the quoted message first, then the newest. */
export function findOpenQuestion([last]: Asked[], now: Date): OpenQuestion | undefined {
  const reference = last && now.getTime() - Date.parse(last.at) < OPEN_MS ? decodeReference(last.kind, last.reference) : undefined;
  switch (reference?.kind) {
    case 'appointment_reminder':
      return { kind: 'reminder', appointmentId: reference.appointmentId };
    case 'waitlist':
      return { kind: 'waitlist', entryId: reference.entryId, offerId: reference.offerId };
    case 'recall':
      return { kind: 'recall' };
    default:
      return undefined;
  }
}
