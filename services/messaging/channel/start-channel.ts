// Starts to connect a number: the provider adds it to the business account and sends a code to it.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePhone } from '@clinic/lib/formats/phone.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { StartChannelRequest } from '@clinic/proto/messaging/v1/channel_pb.js';
import { parsePhoneNumberFromString } from 'libphonenumber-js';
import type { App } from '../app.ts';
import { encryptChannelSecret } from './channel-secrets.ts';
import { lockChannel, updateChannel } from './channels.sql.ts';
import { ChatProviderError, retryOnce } from './chat-provider.ts';
import { describeError, isAlreadyAdded } from './provider-errors-rules.ts';

export async function startChannel(app: App, request: StartChannelRequest, call: Call) {
  const { id: clinicId, country } = clinicOf(call);
  const phone = parsePhone('phone', request.phone, country);
  const method = parseOneOf('otpMethod', request.otpMethod, ['sms', 'voice']) === 'sms' ? 'SMS' : 'VOICE';
  const wabaId = parseText('wabaId', request.wabaId, 64);
  const token = parseText('accessToken', request.accessToken, 1000);
  const { name } = await app.clinics.get(clinicId);
  try {
    const numberId = await addNumber(app, token, wabaId, phone, name);
    await retryOnce(() => app.chat.requestCode(token, numberId, method));
    return await saveChannel(app, call, {
      status: 'pending_otp',
      detail: `A code was sent to ${phone}: enter it to continue`,
      display_number: phone,
      phone_number_id: numberId,
      waba_id: wabaId,
      access_token_sealed: encryptChannelSecret(app.keys, clinicId, 'access_token', token),
      retry_at: null,
      attempts: 0,
    });
  } catch (error) {
    if (!(error instanceof ChatProviderError)) throw error;
    await saveChannel(app, call, { status: 'failed', detail: describeError(error) });
    return fail('CHAT_PROVIDER_ERROR', error.message);
  }
}

/** The provider's id of the number, also when the account has it already. */
async function addNumber(app: App, token: string, wabaId: string, phone: string, name: string): Promise<string> {
  const digits = phone.slice(1);
  const cc = parsePhoneNumberFromString(phone)?.countryCallingCode ?? digits.slice(0, 3);
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

function saveChannel(app: App, call: Call, changes: Parameters<typeof updateChannel>[2]) {
  const { id: clinicId } = clinicOf(call);
  return inTenant(app.db, clinicId, async (tx) => {
    const channel = await lockChannel(tx);
    const updated = await updateChannel(tx, channel, changes);
    await audit(tx, clinicId, call.caller, { action: 'channel.started', entityId: clinicId, changes: { status: updated.status } });
    return { status: updated.status };
  });
}
