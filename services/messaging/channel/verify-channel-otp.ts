// Submits the code to the provider and finishes connecting the number. If the last steps fail, a job repeats them.
import { randomInt } from 'node:crypto';
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, invalid } from '@clinic/lib/errors/errors.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { VerifyChannelOtpRequest } from '@clinic/proto/messaging/v1/channel_pb.js';
import type { App } from '../app.ts';
import { decryptChannelSecret, encryptChannelSecret } from './channel-secrets.ts';
import { type Binding, findChannelOf, lockChannel, updateChannel } from './channels.sql.ts';
import { ChatProviderError, retryOnce } from './chat-provider.ts';
import { claimEnd, finishAfterKill, finishBinding } from './finish-binding.ts';
import { findNextChannel, findNextChannelOf, saveNextChannel } from './next-channels.sql.ts';
import { describeError, isWrongCode } from './provider-errors-rules.ts';

export async function verifyChannelOtp(app: App, request: VerifyChannelOtpRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const code = /^\d{6}$/.test(request.code.trim()) ? request.code.trim() : invalid('code', 'must be 6 digits');
  const binding = (await findNextChannelOf(app.db, clinicId)) ?? (await findChannelOf(app.db, clinicId));
  const token = decryptChannelSecret(app.keys, binding, 'access_token');
  const numberId = binding?.phone_number_id;
  if (!token || !numberId || binding.status === 'active' || binding.status === 'disconnected') return fail('CHAT_NOT_STARTED');
  if (binding.status !== 'verifying') await verify(app, call, { token, numberId, code });
  const { status, refusal } = await finishBinding(app, clinicId);
  if (status === 'failed') fail('CHAT_PROVIDER_ERROR', refusal);
  if (status !== 'active' && status !== 'verifying') fail('CONFLICT'); // disconnected, or started again, meanwhile
  return { status };
}

type Submission = { token: string; numberId: string; code: string };

async function verify(app: App, call: Call, { token, numberId, code }: Submission): Promise<void> {
  const { id: clinicId } = clinicOf(call);
  /** Returns the binding as it was before. Undefined, and nothing is saved, if the provider has accepted a code in a concurrent call meanwhile. */
  const save = (toChanges: (before: Binding, pin: Buffer | null) => Partial<Binding>) =>
    inTenant(app.db, clinicId, async (tx): Promise<Binding | undefined> => {
      const channel = await lockChannel(tx);
      const next = await findNextChannel(tx, clinicId);
      const before = next ?? channel;
      if (before.phone_number_id !== numberId) fail('CONFLICT');
      if (before.status === 'verifying' || before.status === 'active') return undefined;
      const changes = toChanges(before, channel.pin_sealed);
      const { status } = changes;
      // The first number switches the bot on. If a number replaces another one, a bot that was switched off stays off.
      if (next) await saveNextChannel(tx, { ...next, ...changes }, app.clock.now());
      else await updateChannel(tx, channel, { ...changes, ...(status === 'verifying' && { bot_enabled: true }) });
      if (status === 'verifying') await finishAfterKill(tx);
      if (status) await audit(tx, clinicId, call.caller, { action: 'channel.verified', entityId: clinicId, changes: { status } });
      return before;
    });
  // If the process ends before it has saved the answer, the provider may have accepted the code, and accepts it only once.
  const submitted = await save(() => ({ code_submitted: true }));
  if (!submitted) return;
  let isUnanswered = submitted.code_submitted;
  const submit = () =>
    app.chat.verifyCode(token, numberId, code).catch((error: unknown) => {
      isUnanswered ||= error instanceof ChatProviderError && error.outcome !== 'refused';
      throw error;
    });
  try {
    await retryOnce(submit);
  } catch (error) {
    if (!(error instanceof ChatProviderError)) throw error;
    const isWrong = isWrongCode(error);
    if (!isWrong || !isUnanswered || !(await isVerified(app, token, numberId))) {
      const changes: Partial<Binding> = { code_submitted: isUnanswered, ...(!isWrong && { status: 'failed', detail: describeError(error) }) };
      if (!(await save(() => changes))) return;
      fail(isWrong ? 'INVALID_OTP' : 'CHAT_PROVIDER_ERROR', isWrong ? undefined : error.message);
    }
  }
  // The PIN is stored before it is sent to the provider, because the number could not be registered again without it.
  const newPin = () => encryptChannelSecret(app.keys, clinicId, 'pin', String(randomInt(1_000_000)).padStart(6, '0'));
  await save((before, pin) => ({
    status: 'verifying',
    detail: 'The code was correct: the number is being registered',
    pin_sealed: before.pin_sealed ?? pin ?? newPin(),
    code_submitted: false,
    retry_at: claimEnd(app.clock.now()),
    attempts: 0,
  }));
}

async function isVerified(app: App, token: string, numberId: string): Promise<boolean> {
  const number = await app.chat.getNumber(token, numberId).catch(() => undefined);
  return number?.code_verification_status === 'VERIFIED';
}
