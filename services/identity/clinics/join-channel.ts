// A clinic's settings and messaging's chat fields as one answer.
import type { ChannelSettings } from '@clinic/proto/messaging/v1/channel_pb.js';
import { type SettingsRow, toDetails } from './clinic-settings.sql.ts';

export function withChannel(clinic: SettingsRow, channel: ChannelSettings, publicUrl: string) {
  const { chatPhoneNumberId, chatBusinessAccountId, chatAccessToken, chatVerifyToken, chatStatus, botEnabled } = channel;
  return { ...toDetails(clinic, publicUrl), chatPhoneNumberId, chatBusinessAccountId, chatAccessToken, chatVerifyToken, chatStatus, botEnabled };
}
