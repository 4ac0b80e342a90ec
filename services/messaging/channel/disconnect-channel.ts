// Disconnects the chat channel. A refusal of the provider to deregister the number is logged and changes nothing.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { DisconnectChannelRequest } from '@clinic/proto/messaging/v1/channel_pb.js';
import type { App } from '../app.ts';
import { decryptChannelSecret } from './channel-secrets.ts';
import { type ChannelRow, findChannelOf, lockChannel, updateChannel } from './channels.sql.ts';
import { ChatProviderError, retryOnce } from './chat-provider.ts';
import { isNotRegistered } from './provider-errors-rules.ts';

export async function disconnectChannel(app: App, _request: DisconnectChannelRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const channel = await findChannelOf(app.db, clinicId);
  if (channel) await deregister(app, channel);
  return inTenant(app.db, clinicId, async (tx) => {
    await updateChannel(tx, await lockChannel(tx), {
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
    return { status: 'disconnected' };
  });
}

async function deregister(app: App, channel: ChannelRow): Promise<void> {
  const token = decryptChannelSecret(app.keys, channel, 'access_token');
  const numberId = channel.phone_number_id;
  if (!token || !numberId) return;
  try {
    await retryOnce(() => app.chat.deregister(token, numberId));
  } catch (error) {
    if (!(error instanceof ChatProviderError)) throw error;
    if (!isNotRegistered(error))
      app.log.warn({ clinic: channel.clinic_id, errorCode: error.code, http: error.http }, 'chat number disconnected, but the provider did not deregister it');
  }
}
