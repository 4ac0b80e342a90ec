// The last steps of connecting a number: reading it, which proves it, subscribing to its events, and registering it. Each step can be repeated,
// so that an interrupted attempt starts over. The registration is last, because the provider allows ten of a number in 72 hours.
import { asSystem, type Tx } from '@clinic/lib/db/db.ts';
import { enqueue, job } from '@clinic/lib/jobs/jobs.ts';
import type { App } from '../app.ts';
import { sweep } from '../clinics/sweep.ts';
import { decryptChannelSecret } from './channel-secrets.ts';
import {
  type Binding,
  type ChannelStatus,
  claimDueBindings,
  findChannelOf,
  findProvenClinic,
  lockChannelOf,
  lockProvenChannel,
  updateChannel,
} from './channels.sql.ts';
import { ChatProviderError } from './chat-provider.ts';
import {
  claimDueNextChannels,
  deleteNextChannel,
  dropNextChannel,
  findNextChannel,
  findNextChannelOf,
  listAbandonedNextChannels,
  retireNumber,
  saveNextChannel,
} from './next-channels.sql.ts';
import { proveNumber } from './prove-number.ts';
import { describeError, isTransient } from './provider-errors-rules.ts';
import { lockDeliveryProcessing } from './unproven-deliveries.sql.ts';

const MAX_ATTEMPTS = 8;
/** During this time other processes make no attempt. Afterwards another process continues if this one was killed. */
const CLAIM_MS = 20_000;
export const FINISH_BINDINGS = 'finish-bindings';

/** By when an attempt that begins now has ended, unless its process was killed. */
export const claimEnd = (now: Date): Date => new Date(now.getTime() + CLAIM_MS);

/** Queues the job that continues if the process that begins an attempt now is killed. */
export const finishAfterKill = (tx: Tx) => enqueue(tx, FINISH_BINDINGS, {}, { startAfter: new Date(Date.now() + CLAIM_MS) });

/** The status, and the provider's message if it has refused a step. */
type Finished = { status: ChannelStatus; refusal?: string | undefined };

/** Returns the resulting status: active, verifying if it will be retried, or failed if a retry would not help. */
export const finishBinding = async (app: App, clinicId: string) => (await finishNext(app, clinicId)) ?? finishChannel(app, clinicId);

/** Undefined when the clinic is not connecting another number. */
async function finishNext(app: App, clinicId: string): Promise<Finished | undefined> {
  const next = await findNextChannelOf(app.db, clinicId);
  return next?.status === 'verifying' ? finish(app, next, true) : next && { status: next.status };
}

async function finishChannel(app: App, clinicId: string): Promise<Finished> {
  const channel = await findChannelOf(app.db, clinicId);
  return channel?.status === 'verifying' ? finish(app, channel, false) : { status: channel?.status ?? 'disconnected' };
}

async function finish(app: App, tried: Binding, isNext: boolean): Promise<Finished> {
  const { clinic_id: clinicId, phone_number_id: numberId } = tried;
  const ownerBefore = numberId && (await findProvenClinic(app.db, numberId));
  const { provenNumber: readNumber, changes, refusal } = await tryBinding(app, tried);
  const isDone = changes.status === 'active';
  // A number that replaces another one must not receive messages before it can send them.
  const provenNumber = isNext && !isDone ? undefined : readNumber;
  // As the system, because the proof may take the number from another clinic.
  const status = await asSystem(app.db, async (tx) => {
    if (provenNumber) {
      await lockDeliveryProcessing(tx);
      const owner = (await lockProvenChannel(tx, provenNumber))?.clinic_id;
      if (owner && owner !== clinicId && owner !== ownerBefore) return undefined;
    }
    const channel = await lockChannelOf(tx, clinicId);
    const current = isNext ? await findNextChannel(tx, clinicId) : channel;
    // If the channel was disconnected or changed meanwhile, the outcome applies to an outdated number or token and is discarded.
    if (!channel || current?.status !== 'verifying' || !isSameClaim(current, tried)) return current?.status ?? channel?.status ?? 'disconnected';
    if (isNext && !isDone) {
      await saveNextChannel(tx, { ...current, ...changes }, app.clock.now());
      return changes.status ?? current.status;
    }
    if (isNext) {
      if (channel.phone_number_id !== current.phone_number_id) await retireNumber(tx, channel);
      await deleteNextChannel(tx, clinicId);
    }
    const updated = provenNumber ? await proveNumber(tx, channel, provenNumber) : channel;
    const { clinic_id: _, ...replacing } = current;
    return (await updateChannel(tx, updated, { ...(isNext && replacing), ...changes })).status;
  });
  // Another clinic has proven the number since this attempt began. The response of the provider may be older than that proof, so it is asked again.
  if (!status) return finish(app, tried, isNext);
  if (provenNumber) app.deliveryStored.notify();
  return { status, refusal };
}

function isSameClaim(one: Binding, other: Binding): boolean {
  const [a, b] = [one.access_token_sealed, other.access_token_sealed];
  return one.phone_number_id === other.phone_number_id && a !== null && b !== null && a.equals(b);
}

type BindingOutcome = { provenNumber?: string; changes: Partial<Binding>; refusal?: string };

async function tryBinding(app: App, binding: Binding): Promise<BindingOutcome> {
  const { phone_number_id: numberId, waba_id: wabaId, attempts } = binding;
  const token = decryptChannelSecret(app.keys, binding, 'access_token');
  if (!token || !numberId) return { changes: { status: 'failed', detail: 'The number or its access token is missing', retry_at: null } };
  const pin = decryptChannelSecret(app.keys, binding, 'pin');
  let proof: { provenNumber?: string } = {};
  let display_number = binding.display_number;
  try {
    display_number = (await app.chat.getNumber(token, numberId)).display_phone_number ?? display_number;
    proof = { provenNumber: numberId };
    if (wabaId) await app.chat.subscribe(token, wabaId);
    // A number without a PIN was entered by hand and is already registered.
    if (pin) await app.chat.register(token, numberId, pin);
    const connected = { status: 'active', detail: 'The number is connected', display_number } as const;
    return { ...proof, changes: { ...connected, retry_at: null, attempts: 0 } };
  } catch (error) {
    if (!(error instanceof ChatProviderError)) throw error;
    const detail = describeError(error);
    if (!isTransient(error) || attempts + 1 >= MAX_ATTEMPTS)
      return { ...proof, changes: { status: 'failed', detail, display_number, retry_at: null }, refusal: error.message };
    const retry_at = new Date(app.clock.now().getTime() + 15_000 * 2 ** attempts);
    return { ...proof, changes: { detail: `${detail}; it will be retried`, display_number, attempts: attempts + 1, retry_at } };
  }
}

/** How long an attempt to connect another number may stay unfinished before it is given up. */
const ABANDONED_MS = 24 * 3_600_000;

/** Connects numbers that were entered by hand, and retries every minute those whose connection is due for another attempt. */
export const finishBindingsJob = (app: App) =>
  job(FINISH_BINDINGS, { cron: '* * * * *', retries: 0 }, async () => {
    const now = app.clock.now();
    const until = claimEnd(now);
    // As the system, because it covers all clinics.
    const due = await asSystem(app.db, async (tx) => {
      for (const { clinic_id } of await listAbandonedNextChannels(tx, new Date(now.getTime() - ABANDONED_MS))) await dropNextChannel(tx, clinic_id);
      return { channels: await claimDueBindings(tx, now, until), next: await claimDueNextChannels(tx, now, until) };
    });
    const failure = 'the connection of a chat number could not be continued';
    const idOf = ({ clinic_id }: { clinic_id: string }) => ({ clinicId: clinic_id });
    await sweep(app, due.channels, failure, ({ clinic_id }) => finishChannel(app, clinic_id), idOf);
    await sweep(app, due.next, failure, ({ clinic_id }) => finishNext(app, clinic_id), idOf);
  });
