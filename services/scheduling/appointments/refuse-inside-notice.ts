// Patients move and cancel by themselves only until the notice of the cancellation policy. The desk always may.
import { fail } from '@clinic/lib/errors/errors.ts';
import { type Caller, isOfClinic } from '@clinic/lib/rpc/caller.ts';
import type { PolicyRow } from './appointments.sql.ts';
import { isInsideNotice } from './status-rules.ts';

/** Throws INSIDE_CANCELLATION_NOTICE unless a user or an integration key of the clinic acts. */
export function refuseInsideNotice(caller: Caller, { starts_at }: { starts_at: Date }, { notice_hours }: PolicyRow, now: Date): void {
  if (!isOfClinic(caller) && isInsideNotice(starts_at, notice_hours, now)) fail('INSIDE_CANCELLATION_NOTICE');
}
