// The last steps of connecting a number: read it, which proves it, register it, subscribe to its events. Each step can be repeated, so an
// interrupted run starts over.
import { asSystem } from '@clinic/lib/db/db.ts';
import { job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { decryptChannelSecret } from './channel-secrets.ts';
import { type ChannelRow, type ChannelState, type ChannelStatus, claimDueBindings, findChannelOf, lockChannelOf, updateChannel } from './channels.sql.ts';
import { ChatProviderError } from './chat-provider.ts';
import { proveNumber } from './prove-number.ts';
import { describeError, isTransient } from './provider-errors-rules.ts';
import { lockDeliveryProcessing } from './unproven-deliveries.sql.ts';

const MAX_ATTEMPTS = 8;

/** Returns the resulting status: active, verifying when it is tried again later, failed when that would not help. */
export async function finishBinding(app: App, clinicId: string): Promise<ChannelStatus> {
  const channel = await findChannelOf(app.db, clinicId);
  if (channel?.status !== 'verifying') return channel?.status ?? 'disconnected';
  const { provenNumber, changes } = await tryBinding(app, channel);
  // As the system: the proof may take the number from another clinic.
  const status = await asSystem(app.db, async (tx) => {
    if (provenNumber) await lockDeliveryProcessing(tx);
    const current = await lockChannelOf(tx, clinicId);
    // When the channel was disconnected or changed meanwhile, the outcome is that of an outdated number or token.
    if (current?.status !== 'verifying' || !isSameClaim(current, channel)) return current?.status ?? 'disconnected';
    const updated = provenNumber ? await proveNumber(tx, current, provenNumber) : current;
    return (await updateChannel(tx, updated, changes)).status;
  });
  if (provenNumber) app.deliveryStored.notify();
  return status;
}

function isSameClaim(one: ChannelRow, other: ChannelRow): boolean {
  const [a, b] = [one.access_token_sealed, other.access_token_sealed];
  return one.phone_number_id === other.phone_number_id && a !== null && b !== null && a.equals(b);
}

type BindingOutcome = { provenNumber?: string; changes: Partial<ChannelState> };

async function tryBinding(app: App, channel: ChannelRow): Promise<BindingOutcome> {
  const { phone_number_id: numberId, waba_id: wabaId, attempts } = channel;
  const token = decryptChannelSecret(app.keys, channel, 'access_token');
  if (!token || !numberId) return { changes: { status: 'failed', detail: 'The number or its access token is missing', retry_at: null } };
  const pin = decryptChannelSecret(app.keys, channel, 'pin');
  let proof: { provenNumber?: string } = {};
  let display_number = channel.display_number;
  try {
    display_number = (await app.chat.getNumber(token, numberId)).display_phone_number ?? display_number;
    proof = { provenNumber: numberId };
    // Without a PIN the number was entered by hand and is registered already.
    if (pin) await app.chat.register(token, numberId, pin);
    if (wabaId) await app.chat.subscribe(token, wabaId);
    const connected = { status: 'active', detail: 'The number is connected', display_number } as const;
    return { ...proof, changes: { ...connected, retry_at: null, attempts: 0, ...(pin && { bot_enabled: true }) } };
  } catch (error) {
    if (!(error instanceof ChatProviderError)) throw error;
    const detail = describeError(error);
    if (!isTransient(error) || attempts + 1 >= MAX_ATTEMPTS) return { ...proof, changes: { status: 'failed', detail, display_number, retry_at: null } };
    const retry_at = new Date(app.clock.now().getTime() + 15_000 * 2 ** attempts);
    return { ...proof, changes: { detail: `${detail}; it is tried again`, display_number, attempts: attempts + 1, retry_at } };
  }
}

const CLAIM_MS = 60_000;

/** Connects numbers that were entered by hand, and tries again, each minute, those that could not be connected at once. */
export const finishBindingsJob = (app: App) =>
  job('finish-bindings', { cron: '* * * * *', retries: 0 }, async () => {
    const now = app.clock.now();
    // As the system: over all clinics.
    const due = await asSystem(app.db, (tx) => claimDueBindings(tx, now, new Date(now.getTime() + CLAIM_MS)));
    for (const { clinic_id } of due) await finishBinding(app, clinic_id);
  });
