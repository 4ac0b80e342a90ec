// Lists the entries of the waitlist, and removes patients from it.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { LeaveWaitlistRequest, ListWaitlistRequest } from '@clinic/proto/scheduling/v1/waitlist_pb.js';
import type { App } from '../app.ts';
import { changeEntry, passOffer } from './offer-slots.ts';
import { ENTRY_STATUSES, findEntry, listEntries, toProto } from './waitlist-entries.sql.ts';
import { findOpenOffer } from './waitlist-offers.sql.ts';

/** Entries in the order of arrival, each with its open offer. */
export async function listWaitlist(app: App, request: ListWaitlistRequest, call: Call) {
  const { page, limit, offset } = parsePage(request, 50, 500);
  const status = request.status === undefined ? undefined : parseOneOf('status', request.status, ENTRY_STATUSES);
  const { rows, total } = await listEntries(app.db, clinicOf(call).id, status, limit, offset);
  return { entries: rows.map(toProto), total, page, limit };
}

/** A slot that was offered to the entry is offered to the next one. */
export async function leaveWaitlist(app: App, { id }: LeaveWaitlistRequest, call: Call) {
  if (!isUuid(id)) fail('NOT_FOUND', 'Waitlist entry not found');
  return inTenant(app.db, clinicOf(call).id, (tx) => leave(tx, id, call, app.clock.now()));
}

/** Begins again when another transaction has changed the entry meanwhile, for example by an offer. */
async function leave(tx: TenantTx, id: string, call: Call, now: Date, attempts = 3): Promise<ReturnType<typeof toProto>> {
  const before = found(await findEntry(tx, id), 'Waitlist entry');
  if (before.status === 'booked') fail('WAITLIST_ENTRY_BOOKED');
  if (before.status !== 'waiting' && before.status !== 'offered') return toProto(before);
  const offer = await findOpenOffer(tx, id);
  const left = offer
    ? await passOffer(tx, clinicOf(call), offer, 'withdrawn', { status: 'left' }, now)
    : await changeEntry(tx, id, 'waiting', { status: 'left' }, now);
  if (!left) return attempts > 1 ? leave(tx, id, call, now, attempts - 1) : fail('CONFLICT');
  await audit(tx, tx.clinicId, call.caller, { action: 'waitlist_entry.left', entityId: id });
  return toProto(found(await findEntry(tx, id), 'Waitlist entry'));
}
