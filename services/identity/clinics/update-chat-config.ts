// Passes the chat fields on to messaging, which encrypts the token.
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { UpdateChatConfigRequest } from '@clinic/proto/identity/v1/settings_pb.js';
import type { App } from '../app.ts';

export async function updateChatConfig(app: App, request: UpdateChatConfigRequest, call: Call) {
  const { phoneNumberId, businessAccountId, accessToken, verifyToken } = request;
  await app.channels.updateChannelSettings(
    {
      ...(phoneNumberId !== undefined && { chatPhoneNumberId: phoneNumberId }),
      ...(businessAccountId !== undefined && { chatBusinessAccountId: businessAccountId }),
      ...(accessToken !== undefined && { chatAccessToken: accessToken }),
      ...(verifyToken !== undefined && { chatVerifyToken: verifyToken }),
    },
    callAs(call.caller),
  );
  return { message: 'The chat configuration was saved' };
}
