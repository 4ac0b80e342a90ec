// Shows a patient that a person has read what was written. The provider marks all messages before the named one as well.

import type { TenantTx } from '@clinic/lib/db/db.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { enqueue, job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { findChannel } from '../channel/channels.sql.ts';
import { ChatProviderError } from '../channel/chat-provider.ts';
import { isPassing } from '../channel/onboarding-rules.ts';
import { openOfChannel } from '../channel/channel-secrets.ts';
import { findLastReceived } from './messages.sql.ts';

const TELL_READ = 'tell-read';

type Read = { clinicId: string; conversationId: string };

export const tellRead = (tx: TenantTx, conversationId: string) => enqueue(tx, TELL_READ, { clinicId: tx.clinicId, conversationId });

/** A courtesy: tried three times, and given up without a word where the provider refuses it. */
export const tellReadJob = (app: App) =>
  job<Read>(TELL_READ, { retries: 3, limitSeconds: 30, concurrency: 2 }, async ({ clinicId, conversationId }) => {
    const [channel, last] = await inTenant(app.db, clinicId, (tx) => Promise.all([findChannel(tx), findLastReceived(tx, conversationId)]));
    const token = channel && openOfChannel(app.keys, clinicId, 'access_token', channel.access_token_sealed);
    if (!token || !channel.phone_number_id || !last?.provider_id) return;
    try {
      await app.chat.markRead(token, channel.phone_number_id, last.provider_id);
    } catch (error) {
      if (error instanceof ChatProviderError && !isPassing(error)) return;
      throw error;
    }
  });
