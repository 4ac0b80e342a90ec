// Disconnects the chat channel. Its number is deregistered at the provider immediately, or once the provider is available.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { DisconnectChannelRequest } from '@clinic/proto/messaging/v1/channel_pb.js';
import type { App } from '../app.ts';
import { lockChannel, updateChannel } from './channels.sql.ts';
import { ChatProviderError } from './chat-provider.ts';
import { deregisterNumber } from './deregister-number.ts';
import { dropNextChannel, retireNumber } from './next-channels.sql.ts';

export async function disconnectChannel(app: App, _request: DisconnectChannelRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const before = await inTenant(app.db, clinicId, async (tx) => {
    const channel = await lockChannel(tx);
    // A number that this clinic has not proven may be in use by another clinic.
    if (channel.proven_number_id === channel.phone_number_id) await retireNumber(tx, channel);
    await dropNextChannel(tx, clinicId);
    await updateChannel(tx, channel, {
      status: 'disconnected',
      detail: '',
      display_number: '',
      phone_number_id: null,
      proven_number_id: null,
      access_token_sealed: null,
      bot_enabled: false,
      retry_at: null,
      attempts: 0,
    });
    await audit(tx, clinicId, call.caller, { action: 'channel.disconnected', entityId: clinicId });
    return channel;
  });
  await deregisterNumber(app, clinicId, before.phone_number_id ?? '').catch((error: unknown) => {
    if (!(error instanceof ChatProviderError)) throw error; // the job deregister-number retries it
  });
  return { status: 'disconnected' };
}
