// Records that the provider let a clinic's token read a number. From then on, messages of the number belong to that clinic.
import { randomUUID } from 'node:crypto';
import { audit } from '@clinic/lib/audit/audit.ts';
import type { SystemTx } from '@clinic/lib/db/db.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { type ChannelRow, lockProvenChannel, updateChannel } from './channels.sql.ts';
import { forgetRetiredNumber } from './next-channels.sql.ts';
import { NOTIFY_NUMBER_MOVED, type NumberMoved } from './notify-number-moved.ts';
import { releaseUnprovenDeliveries } from './unproven-deliveries.sql.ts';

/**
 * Saves the proof in the channel, which the caller must have locked, and returns the channel. The latest proof wins. The caller must also hold
 * lockDeliveryProcessing(), so that proofs run one at a time and no delivery becomes unproven_number for a number that was just proven.
 */
export async function proveNumber(tx: SystemTx, channel: ChannelRow, numberId: string): Promise<ChannelRow> {
  if (channel.proven_number_id === numberId) return channel;
  const caller = serviceCaller('messaging', randomUUID());
  const { clinic_id: to } = channel;
  const before = await lockProvenChannel(tx, numberId);
  if (before) {
    const { clinic_id: from } = before;
    await updateChannel(tx, before, { proven_number_id: null, ...stateOfPreviousClinic(before, numberId) });
    await audit(tx, from, caller, { action: 'channel.superseded', entityId: from, changes: { number: numberId } });
    await enqueue(tx, NOTIFY_NUMBER_MOVED, { id: randomUUID(), numberId, from, to } satisfies NumberMoved);
  }
  const proven = await updateChannel(tx, channel, { proven_number_id: numberId });
  await audit(tx, to, caller, { action: 'channel.proven', entityId: to, changes: { number: numberId } });
  await forgetRetiredNumber(tx, numberId);
  await releaseUnprovenDeliveries(tx, numberId);
  return proven;
}

/** The previous clinic loses only this number. If it is connecting this or another number, it continues to do so. */
function stateOfPreviousClinic({ phone_number_id, status }: ChannelRow, numberId: string) {
  if (phone_number_id !== numberId || (status !== 'active' && status !== 'failed')) return {};
  return {
    status: 'failed',
    detail: 'Another clinic has proven to the provider that it has access to this number. To connect it again, save the chat settings.',
    retry_at: null,
  } as const;
}
