// Changes settings. The chat fields go first: messaging may refuse them, and then nothing is changed here either.
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { UpdateSettingsRequest } from '@clinic/proto/identity/v1/settings_pb.js';
import type { App } from '../app.ts';
import { changeProfile, readProfile } from './change-profile.ts';
import { withChannel } from './join-channel.ts';

export async function updateSettings(app: App, request: UpdateSettingsRequest, call: Call) {
  const { chatPhoneNumberId, chatBusinessAccountId, chatAccessToken, chatVerifyToken, botEnabled } = request;
  const changes = readProfile(request);
  const chat = Object.entries({ chatPhoneNumberId, chatBusinessAccountId, chatAccessToken, chatVerifyToken, botEnabled }).filter(
    ([, value]) => value !== undefined,
  );
  const caller = callAs(call.caller);
  const channel = await (chat.length > 0 ? app.channels.updateChannelSettings(Object.fromEntries(chat), caller) : app.channels.getChannelSettings({}, caller));
  return withChannel(await changeProfile(app, call, changes), channel, app.publicUrl);
}
