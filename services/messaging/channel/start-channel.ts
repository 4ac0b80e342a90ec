// Starts connecting a number: the provider adds it to the business account and sends a code to it. A number that is in use stays in use until
// the new one is connected.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { countryCallingCode, parsePhone } from '@clinic/lib/formats/phone.ts';
import { parseAscii, parseText } from '@clinic/lib/formats/text.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { StartChannelRequest } from '@clinic/proto/messaging/v1/channel_pb.js';
import type { App } from '../app.ts';
import { encryptChannelSecret } from './channel-secrets.ts';
import { type Binding, isInUse, lockChannel, updateChannel } from './channels.sql.ts';
import { ChatProviderError, retryOnce } from './chat-provider.ts';
import { dropNextChannel, findNextChannel, forgetRetiredNumber, saveNextChannel } from './next-channels.sql.ts';
import { describeError, isAlreadyAdded } from './provider-errors-rules.ts';

export async function startChannel(app: App, request: StartChannelRequest, call: Call) {
  const { id: clinicId, country } = clinicOf(call);
  const phone = parsePhone('phone', request.phone, country);
  const method = parseOneOf('otpMethod', request.otpMethod, ['sms', 'voice']) === 'sms' ? 'SMS' : 'VOICE';
  const wabaId = parseAscii('wabaId', parseText('wabaId', request.wabaId, 64));
  const token = parseAscii('accessToken', parseText('accessToken', request.accessToken, 1000));
  const { name } = await app.clinics.get(clinicId);
  try {
    const numberId = await addNumber(app, token, wabaId, phone, name);
    await retryOnce(() => app.chat.requestCode(token, numberId, method));
    return await saveChannel(app, call, phone, {
      status: 'pending_otp',
      detail: `A code was sent to ${phone}: enter it to continue`,
      display_number: phone,
      phone_number_id: numberId,
      waba_id: wabaId,
      access_token_sealed: encryptChannelSecret(app.keys, clinicId, 'access_token', token),
      retry_at: null,
      attempts: 0,
      code_submitted: false,
    });
  } catch (error) {
    if (!(error instanceof ChatProviderError)) throw error;
    await saveChannel(app, call, phone, { status: 'failed', detail: describeError(error) });
    return fail('CHAT_PROVIDER_ERROR', error.message);
  }
}

/** Adds the number and returns its id at the provider, also if the account already has it. */
async function addNumber(app: App, token: string, wabaId: string, phone: string, name: string): Promise<string> {
  const digits = phone.slice(1);
  const cc = countryCallingCode(phone) ?? digits.slice(0, 3);
  try {
    return (await retryOnce(() => app.chat.addNumber(token, wabaId, { cc, phone_number: digits, verified_name: name }))).id;
  } catch (error) {
    if (!(error instanceof ChatProviderError) || !isAlreadyAdded(error)) throw error;
    const numbers = await app.chat.listNumbers(token, wabaId);
    const known = numbers.find(({ display_phone_number }) => display_phone_number?.replaceAll(/\D/g, '') === digits);
    if (!known) throw error;
    return known.id;
  }
}

type Changes = Pick<Binding, 'status' | 'detail'> & Partial<Binding>;

function saveChannel(app: App, call: Call, phone: string, changes: Changes) {
  const { id: clinicId } = clinicOf(call);
  return inTenant(app.db, clinicId, async (tx) => {
    const channel = await lockChannel(tx);
    if (isInUse(channel)) await saveAsNext(tx, { display_number: phone, ...changes }, app.clock.now());
    else await updateChannel(tx, channel, changes);
    if (changes.phone_number_id) await forgetRetiredNumber(tx, changes.phone_number_id);
    await audit(tx, clinicId, call.caller, { action: 'channel.started', entityId: clinicId, changes: { status: changes.status } });
    return { status: changes.status };
  });
}

const EMPTY = { phone_number_id: null, waba_id: null, access_token_sealed: null, pin_sealed: null, retry_at: null, attempts: 0, code_submitted: false };

async function saveAsNext(tx: TenantTx, changes: Changes & Pick<Binding, 'display_number'>, now: Date): Promise<void> {
  const before = await findNextChannel(tx, tx.clinicId);
  // The number may already be registered with its PIN, and the provider accepts no other one.
  const isSame = before !== undefined && before.phone_number_id === changes.phone_number_id;
  if (!isSame) await dropNextChannel(tx, tx.clinicId);
  await saveNextChannel(tx, { clinic_id: tx.clinicId, ...EMPTY, ...changes, ...(isSame && { pin_sealed: before.pin_sealed }) }, now);
}
