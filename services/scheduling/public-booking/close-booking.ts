import type { TenantTx } from '@clinic/lib/db/db.ts';
import { deleteDraft } from '../slots/slot-drafts.sql.ts';
import { type RequestRow, updateRequest } from './booking-requests.sql.ts';

/** Closes a locked booking that awaits its code: the code is no longer valid, and the slot is free again. */
export async function closeBooking(tx: TenantTx, booking: RequestRow): Promise<void> {
  await Promise.all([updateRequest(tx, booking, { state: 'locked' }), deleteDraft(tx, booking.draft_id, null)]);
}
