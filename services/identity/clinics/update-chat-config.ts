// Passes the chat fields on to messaging, which encrypts the token.
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { UpdateChatConfigRequest } from '@clinic/proto/identity/v1/settings_pb.js';
import type { App } from '../app.ts';

export async function updateChatConfig(app: App, request: UpdateChatConfigRequest, call: Call) {
  const { phoneNumberId: chatPhoneNumberId, businessAccountId: chatBusinessAccountId } = request;
  const { accessToken: chatAccessToken, verifyToken: chatVerifyToken } = request;
  await app.channels.updateChannelSettings({ chatPhoneNumberId, chatBusinessAccountId, chatAccessToken, chatVerifyToken }, callAs(call.caller));
  return { message: 'The chat configuration was saved' };
}
