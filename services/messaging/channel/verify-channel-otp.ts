// Passes the code on to the provider and finishes connecting the number. When the last steps fail, a job repeats them.
import { randomInt } from 'node:crypto';
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, invalid } from '@clinic/lib/errors/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { VerifyChannelOtpRequest } from '@clinic/proto/messaging/v1/channel_pb.js';
import type { App } from '../app.ts';
import { decryptChannelSecret, encryptChannelSecret } from './channel-secrets.ts';
import { type ChannelState, findChannelOf, lockChannel, updateChannel } from './channels.sql.ts';
import { ChatProviderError, retryOnce } from './chat-provider.ts';
import { finishBinding } from './finish-binding.ts';
import { describeError, isWrongCode } from './provider-errors-rules.ts';

// The job does not take the channel over before then, unless this process has crashed.
const CLAIM_MS = 60_000;

export async function verifyChannelOtp(app: App, request: VerifyChannelOtpRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const code = /^\d{6}$/.test(request.code.trim()) ? request.code.trim() : invalid('code', 'must be 6 digits');
  const channel = await findChannelOf(app.db, clinicId);
  const token = decryptChannelSecret(app.keys, channel, 'access_token');
  const numberId = channel?.phone_number_id;
  if (!token || !numberId || channel.status === 'active' || channel.status === 'disconnected') return fail('CHAT_NOT_STARTED');
  if (channel.status !== 'verifying') await verify(app, call, numberId, () => retryOnce(() => app.chat.verifyCode(token, numberId, code)));
  return { status: await finishBinding(app, clinicId) };
}

async function verify(app: App, call: Call, numberId: string, submitCode: () => Promise<void>): Promise<void> {
  const { id: clinicId } = clinicOf(call);
  const save = (changes: (pin: Buffer | null) => Partial<ChannelState>) =>
    inTenant(app.db, clinicId, async (tx) => {
      const channel = await lockChannel(tx);
      if (channel.phone_number_id !== numberId) fail('CONFLICT');
      const { status } = await updateChannel(tx, channel, changes(channel.pin_sealed));
      await audit(tx, clinicId, call.caller, { action: 'channel.verified', entityId: clinicId, changes: { status } });
    });
  try {
    await submitCode();
  } catch (error) {
    if (!(error instanceof ChatProviderError)) throw error;
    if (isWrongCode(error)) fail('INVALID_OTP');
    await save(() => ({ status: 'failed', detail: describeError(error) }));
    fail('CHAT_PROVIDER_ERROR', error.message);
  }
  // The PIN is stored before the provider gets it: without it nobody could register the number again.
  const newPin = () => encryptChannelSecret(app.keys, clinicId, 'pin', String(randomInt(1_000_000)).padStart(6, '0'));
  await save((stored) => ({
    status: 'verifying',
    detail: 'The code was correct: the number is being registered',
    pin_sealed: stored ?? newPin(),
    retry_at: new Date(app.clock.now().getTime() + CLAIM_MS),
    attempts: 0,
  }));
}
