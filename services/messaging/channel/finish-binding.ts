// The last steps of a binding: register, subscribe, look. Each may be repeated, so whatever was interrupted begins anew.
import { inTenant, readTenant } from '@clinic/lib/db.ts';
import type { App } from '../app.ts';
import { ChatProviderError } from '../providers/chat.ts';
import { explain, isPassing } from '../rules/onboarding.ts';
import { type ChannelRow, type ChannelState, type ChannelStatus, findChannelStatement, lockChannel, updateChannel } from '../sql/channels.ts';
import { openOfChannel } from '../sql/sealed.ts';

const LAST_ATTEMPT = 8;

/** Returns the status afterwards: active, verifying when it is to be tried again, failed when that would not help. */
export async function finishBinding(app: App, clinicId: string): Promise<ChannelStatus> {
  const [channel] = await readTenant(app.db, clinicId, findChannelStatement, [clinicId]);
  if (channel?.status !== 'verifying') return channel?.status ?? 'disconnected';
  const outcome = await tryBinding(app, channel);
  return inTenant(app.db, clinicId, async (tx) => {
    const current = await lockChannel(tx);
    // Disconnected or bound anew meanwhile: this outcome is of a number that is no longer wanted.
    if (current.status !== 'verifying' || current.phone_number_id !== channel.phone_number_id) return current.status;
    return (await updateChannel(tx, current, outcome)).status;
  });
}

async function tryBinding(app: App, channel: ChannelRow): Promise<Partial<ChannelState>> {
  const { clinic_id, phone_number_id: numberId, waba_id: wabaId, attempts } = channel;
  const token = openOfChannel(app.keys, clinic_id, 'access_token', channel.access_token_sealed);
  if (!token || !numberId) return { status: 'failed', detail: 'The number or its access token is missing', retry_at: null };
  const pin = openOfChannel(app.keys, clinic_id, 'pin', channel.pin_sealed);
  try {
    // Without a PIN the number was bound by hand and is registered already.
    if (pin) await app.chat.register(token, numberId, pin);
    if (wabaId) await app.chat.subscribe(token, wabaId);
    const { display_phone_number } = await app.chat.getNumber(token, numberId);
    const bound = { status: 'active', detail: 'The number is connected', display_number: display_phone_number ?? channel.display_number } as const;
    return { ...bound, retry_at: null, attempts: 0, ...(pin && { bot_enabled: true }) };
  } catch (error) {
    if (!(error instanceof ChatProviderError)) throw error;
    const again = isPassing(error) && attempts + 1 < LAST_ATTEMPT;
    if (!again) return { status: 'failed', detail: explain(error), retry_at: null };
    const pause = 15_000 * 2 ** attempts;
    return { detail: `${explain(error)}; it is tried again`, attempts: attempts + 1, retry_at: new Date(app.clock.now().getTime() + pause) };
  }
}
