// The clinic's number at the chat provider.
import type { EncryptedColumn } from '@clinic/lib/crypto/reencrypt.ts';
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { ChannelService } from '@clinic/proto/messaging/v1/channel_pb.js';
import type { App } from '../app.ts';
import { type ChannelSecret, channelSecretContext } from './channel-secrets.ts';
import { deregisterNumberJob } from './deregister-number.ts';
import { disconnectChannel } from './disconnect-channel.ts';
import { finishBindingsJob } from './finish-binding.ts';
import { getChannelSettings, getChannelStatus } from './get-channel.ts';
import { notifyChannelFailedJob } from './notify-channel-failed.ts';
import { notifyNumberMovedJob } from './notify-number-moved.ts';
import { startChannel } from './start-channel.ts';
import { updateChannelSettings } from './update-channel-settings.ts';
import { verifyChannelOtp } from './verify-channel-otp.ts';

const secret = (name: ChannelSecret, table = 'channels', key = ['clinic_id']) =>
  ({
    table,
    key,
    column: `${name}_sealed`, // plain-words: sealed is in the names of columns
    context: ({ clinic_id }) => channelSecretContext(clinic_id, name),
  }) satisfies EncryptedColumn;

export const channel: Module<App> = {
  rpcs: [rpcs(ChannelService, { startChannel, verifyChannelOtp, getChannelStatus, disconnectChannel, getChannelSettings, updateChannelSettings })],
  jobs: (app) => [finishBindingsJob(app), notifyNumberMovedJob(app), notifyChannelFailedJob(app), deregisterNumberJob(app)],
  personal: [
    { table: 'channels', secret: ['access_token_sealed', 'verify_token_sealed', 'pin_sealed'] },
    { table: 'next_channels', secret: ['access_token_sealed', 'pin_sealed'] },
    { table: 'retired_numbers', secret: ['access_token_sealed'] },
  ],
  encrypted: [
    secret('access_token'),
    secret('verify_token'),
    secret('pin'),
    secret('access_token', 'next_channels'),
    secret('pin', 'next_channels'),
    secret('access_token', 'retired_numbers', ['clinic_id', 'phone_number_id']),
  ],
};
