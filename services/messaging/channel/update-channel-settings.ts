// Changes the chat settings: number, tokens, and whether the bot replies. Messages of a number belong to the clinic once the provider has let
// its token read the number; until then several clinics may have entered the same number.
import { audit, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { parseAscii, parseOptionalText } from '@clinic/lib/formats/text.ts';
import { enqueue } from '@clinic/lib/jobs/jobs.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { UpdateChannelSettingsRequest } from '@clinic/proto/messaging/v1/channel_pb.js';
import type { App } from '../app.ts';
import { decryptChannelSecret, encryptChannelSecret } from './channel-secrets.ts';
import { type ChannelRow, type ChannelState, lockChannel, updateChannel } from './channels.sql.ts';
import { FINISH_BINDINGS } from './finish-binding.ts';
import { MASK, toChannelSettings } from './get-channel.ts';
import { dropNextChannel, findNextChannel, forgetRetiredNumber } from './next-channels.sql.ts';

export async function updateChannelSettings(app: App, request: UpdateChannelSettingsRequest, call: Call) {
  const { id: clinicId } = clinicOf(call);
  const settings = {
    numberId: parseForProvider('chat_phone_number_id', request.chatPhoneNumberId, 64),
    wabaId: parseForProvider('chat_business_account_id', request.chatBusinessAccountId, 64),
    token: request.chatAccessToken?.includes(MASK) ? undefined : parseForProvider('chat_access_token', request.chatAccessToken, 1000),
    verifyToken: parseSetting('chat_verify_token', request.chatVerifyToken, 500),
  };
  return inTenant(app.db, clinicId, async (tx) => {
    const before = await lockChannel(tx);
    const changes = toChanges(app, before, settings);
    if (request.botEnabled !== undefined && request.botEnabled !== before.bot_enabled) changes.bot_enabled = request.botEnabled;
    // Saving the settings again, even unchanged, retries a failed connection.
    const retry = before.status === 'failed' && [settings.numberId, settings.wabaId, settings.token].some((value) => value !== undefined);
    if (Object.keys(changes).length === 0 && !retry) return toChannelSettings(app, before, await findNextChannel(tx, clinicId));
    // Another number or token also ends the attempt to connect another number.
    if ('phone_number_id' in changes || 'access_token_sealed' in changes) await dropNextChannel(tx, clinicId);
    if (changes.phone_number_id) await forgetRetiredNumber(tx, changes.phone_number_id);
    const after = await updateChannel(tx, before, { ...changes, ...toState(before, changes, retry, app.clock.now()) });
    if (after.status === 'verifying') await enqueue(tx, FINISH_BINDINGS, {});
    await audit(tx, clinicId, call.caller, { action: 'channel.updated', entityId: clinicId, changes: maskChanges(before, after, SECRETS) });
    return toChannelSettings(app, after, await findNextChannel(tx, clinicId));
  });
}

const SECRETS = ['access_token_sealed', 'verify_token_sealed', 'pin_sealed'];

/** Undefined leaves the setting unchanged, null clears it. */
const parseSetting = (path: string, value: string | undefined, max: number) => (value === undefined ? undefined : parseOptionalText(path, value, max));

function parseForProvider(path: string, value: string | undefined, max: number) {
  const setting = parseSetting(path, value, max);
  return setting ? parseAscii(path, setting) : setting;
}

type NumberSettings = Record<'numberId' | 'wabaId' | 'token' | 'verifyToken', string | null | undefined>;

function toChanges(app: App, before: ChannelRow, { numberId, wabaId, token, verifyToken }: NumberSettings): Partial<ChannelState> {
  const encrypted = (secret: 'access_token' | 'verify_token', value: string | null) =>
    value === (decryptChannelSecret(app.keys, before, secret) ?? null)
      ? before[`${secret}_sealed`] // plain-words: sealed is in the names of columns
      : value && encryptChannelSecret(app.keys, before.clinic_id, secret, value);
  const changes: Partial<ChannelState> = {
    ...(numberId !== undefined && { phone_number_id: numberId }),
    ...(wabaId !== undefined && { waba_id: wabaId }),
    ...(token !== undefined && { access_token_sealed: encrypted('access_token', token) || null }),
    ...(verifyToken !== undefined && { verify_token_sealed: encrypted('verify_token', verifyToken) || null }),
  };
  return Object.fromEntries(Object.entries(changes).filter(([name, value]) => value !== before[name as keyof ChannelRow]));
}

/** The provider must confirm another number or token. Without a number or a token the channel is disconnected. */
function toState(before: ChannelRow, changes: Partial<ChannelState>, retry: boolean, now: Date): Partial<ChannelState> {
  if (!('phone_number_id' in changes) && !('access_token_sealed' in changes) && !retry) return {};
  const { phone_number_id, access_token_sealed } = { ...before, ...changes };
  const other = 'phone_number_id' in changes ? { pin_sealed: null, display_number: '' } : {};
  if (!phone_number_id || !access_token_sealed) return { ...other, proven_number_id: null, status: 'disconnected', detail: '', retry_at: null };
  return { ...other, status: 'verifying', detail: 'The number is being checked', retry_at: now, attempts: 0 };
}
