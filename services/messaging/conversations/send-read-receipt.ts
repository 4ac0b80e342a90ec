// Sends read receipts to patients. The provider marks all messages up to the given one as read.
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { enqueue, job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { decryptChannelSecret } from '../channel/channel-secrets.ts';
import { findChannel } from '../channel/channels.sql.ts';
import { ChatProviderError } from '../channel/chat-provider.ts';
import { isTransient } from '../channel/provider-errors-rules.ts';
import { findNewestReceived } from './messages.sql.ts';

const READ_RECEIPT_JOB = 'tell-read';

type ReadReceipt = { clinicId: string; conversationId: string };

export const enqueueReadReceipt = (tx: TenantTx, conversationId: string) => enqueue(tx, READ_RECEIPT_JOB, { clinicId: tx.clinicId, conversationId });

/** A refusal of the provider is ignored, because read receipts are not essential. */
export const sendReadReceiptJob = (app: App) =>
  job<ReadReceipt>(READ_RECEIPT_JOB, { retries: 8, limitSeconds: 30, concurrency: 2 }, async ({ clinicId, conversationId }) => {
    const [channel, last] = await inTenant(app.db, clinicId, (tx) => Promise.all([findChannel(tx), findNewestReceived(tx, conversationId)]));
    const token = decryptChannelSecret(app.keys, channel, 'access_token');
    if (!token || !channel?.phone_number_id || !last?.provider_id) return;
    try {
      await app.chat.markRead(token, channel.phone_number_id, last.provider_id);
    } catch (error) {
      if (error instanceof ChatProviderError && !isTransient(error)) return;
      throw error;
    }
  });
