// Connects the demo clinic to a number of the simulated provider, with the same two calls that an admin makes.
import { ChannelService } from '@clinic/proto/messaging/v1/channel_pb.js';
import { createClient, type Transport } from '@connectrpc/connect';
import { demoAdmin } from '../demo/admin.ts';
import { CODE } from './state.ts';

const NUMBER = { phone: '+50322221234', otpMethod: 'sms', wabaId: '1000000000', accessToken: 'simulated-access-token' };

export async function bindDemo(transport: (service: string) => Transport, demo: { email: string; password: string }): Promise<void> {
  const admin = await demoAdmin(transport, demo);
  const channels = createClient(ChannelService, transport('messaging'));
  if ((await channels.getChannelStatus({}, admin)).status !== 'disconnected') return;
  await channels.startChannel(NUMBER, admin);
  await channels.verifyChannelOtp({ code: CODE }, admin);
}
