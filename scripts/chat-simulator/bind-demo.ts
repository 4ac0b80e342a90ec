// Gives the demo clinic a number at the simulated provider, by the same two calls that an admin makes.
import { randomUUID } from 'node:crypto';
import type { CallerClinic } from '@clinic/lib/caller.ts';
import { as } from '@clinic/lib/rpc/context.ts';
import { SessionService } from '@clinic/proto/identity/v1/session_pb.js';
import { ChannelService } from '@clinic/proto/messaging/v1/channel_pb.js';
import { createClient, type Transport } from '@connectrpc/connect';
import { CODE } from './state.ts';

const NUMBER = { phone: '+50322221234', otpMethod: 'sms', wabaId: '1000000000', accessToken: 'simulated-access-token' };

export async function bindDemo(transport: (service: string) => Transport, demo: { email: string; password: string }): Promise<void> {
  const caller = { requestId: randomUUID(), ip: '127.0.0.1' };
  const anonymous = as({ kind: 'anonymous', id: '', role: '', ...caller });
  const { user } = await createClient(SessionService, transport('identity')).login({ email: demo.email, password: demo.password }, anonymous);
  const clinic: CallerClinic = { id: user?.clinicId ?? '', plan: 'clinica', timezone: 'America/El_Salvador', country: 'SV' };
  const admin = as({ kind: 'user', id: user?.id ?? '', role: 'admin', clinic, ...caller });
  const channels = createClient(ChannelService, transport('messaging'));
  if ((await channels.getChannelStatus({}, admin)).status !== 'disconnected') return;
  await channels.startChannel(NUMBER, admin);
  await channels.verifyChannelOtp({ code: CODE }, admin);
}
