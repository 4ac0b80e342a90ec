// Gives the provider the code and finishes the binding, or leaves the rest to a job.
import { randomInt } from 'node:crypto';
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, invalid } from '@clinic/lib/errors/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { VerifyChannelOtpRequest } from '@clinic/proto/messaging/v1/channel_pb.js';
import type { App } from '../app.ts';
import { decryptChannelSecret, encryptChannelSecret } from './channel-secrets.ts';
import { type ChannelState, findChannelOf, lockChannel, updateChannel } from './channels.sql.ts';
import { ChatProviderError } from './chat-provider.ts';
import { finishBinding } from './finish-binding.ts';
import { explain, isWrongCode } from './onboarding-rules.ts';
import { retryOnce } from './retry-once.ts';

// Long enough for whoever crashed midway to be known as crashed.
const CLAIM_MS = 60_000;

export async function verifyChannelOtp(app: App, request: VerifyChannelOtpRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const code = /^\d{6}$/.test(request.code.trim()) ? request.code.trim() : invalid('code', 'must be 6 digits');
  const channel = await findChannelOf(app.db, clinicId);
  const token = channel && decryptChannelSecret(app.keys, clinicId, 'access_token', channel.access_token_sealed);
  const numberId = channel?.phone_number_id;
  if (!token || !numberId || channel.status === 'active' || channel.status === 'disconnected') return fail('CHAT_NOT_STARTED');
  if (channel.status !== 'verifying') await verify(app, call, numberId, () => retryOnce(() => app.chat.verifyCode(token, numberId, code)));
  return { status: await finishBinding(app, clinicId) };
}

async function verify(app: App, call: Call, numberId: string, give: () => Promise<void>): Promise<void> {
  const { id: clinicId } = clinicOf(call);
  const note = (changes: (pin: Buffer | null) => Partial<ChannelState>) =>
    inTenant(app.db, clinicId, async (tx) => {
      const channel = await lockChannel(tx);
      if (channel.phone_number_id !== numberId) fail('CONFLICT');
      const { status } = await updateChannel(tx, channel, changes(channel.pin_sealed));
      await audit(tx, clinicId, call.caller, { action: 'channel.verified', entityId: clinicId, changes: { status } });
    });
  try {
    await give();
  } catch (error) {
    if (!(error instanceof ChatProviderError)) throw error;
    if (isWrongCode(error)) fail('INVALID_OTP');
    await note(() => ({ status: 'failed', detail: explain(error) }));
    fail('CHAT_PROVIDER_ERROR', error.message);
  }
  // The PIN is kept before the provider hears of it: nobody could register the number again without it.
  const pin = () => encryptChannelSecret(app.keys, clinicId, 'pin', String(randomInt(1_000_000)).padStart(6, '0'));
  await note((kept) => ({
    status: 'verifying',
    detail: 'The code was right: the number is being registered',
    pin_sealed: kept ?? pin(),
    retry_at: new Date(app.clock.now().getTime() + CLAIM_MS),
    attempts: 0,
  }));
}
