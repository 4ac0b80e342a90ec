// One message on its way to the provider, from claim to fate.
import { inTenant } from '@clinic/lib/db/db.ts';
import type { App } from '../app.ts';
import { failChannel, findChannelOf } from '../channel/channels.sql.ts';
import { ChatProviderError } from '../channel/chat-provider.ts';
import { LAST_ATTEMPT, pauseMs } from '../channel/provider-errors-rules.ts';
import { openOfChannel } from '../channel/channel-secrets.ts';
import { findConversationOf } from '../conversations/conversations.sql.ts';
import { isWindowOpen } from '../conversations/takeover-rules.ts';
import { verdictOn, WINDOW_CLOSED } from './refusal-rules.ts';
import { type Fate, lockOutbound, type OutboundRow, settleOutbound, writeContent } from './outbound.sql.ts';
import { type Outgoing, providerBody } from './outgoing-content-rules.ts';
import { type Prepares, prepareMessage } from './prepare.ts';
import { putInThread } from './send.ts';

/** How long the provider may take to say by a status whether it got a message whose call broke off. */
export const SILENT_MS = 120_000;

type Written = OutboundRow & { phone: string; content: Outgoing };

/**
 * Sends a claimed message and writes its fate. Throws only when the fate cannot be written: then
 * the message is found as lost.
 */
export async function deliver(app: App, prepares: Prepares, claimed: OutboundRow): Promise<void> {
  let fate: Outcome;
  try {
    const written = await write(app, prepares, claimed);
    fate = 'drop' in written ? { state: 'dropped', code: written.drop } : await transmit(app, written);
  } catch (error) {
    fate = outcomeOf(app, claimed, error);
  }
  await settle(app, claimed, fate);
}

/** Writes what is still to be written, and shows the message in its thread. */
async function write(app: App, prepares: Prepares, claimed: OutboundRow): Promise<Written | { drop: string }> {
  const { clinic_id, id, phone, content } = claimed;
  const prepared = content === null ? await prepareMessage(app, prepares, claimed) : undefined;
  if (prepared && 'drop' in prepared) return prepared;
  const written = prepared
    ? { ...claimed, phone: prepared.phone, content: prepared.content, outside_window: prepared.outsideWindow ?? null }
    : { ...claimed, phone: phone ?? '', content: content as Outgoing };
  await inTenant(app.db, clinic_id, async (tx) => {
    if (prepared) await writeContent(tx, id, written.phone, written.content, written.outside_window);
    await putInThread(tx, written, app.clock.now());
  });
  return written;
}

async function transmit(app: App, { clinic_id, id, phone, content, outside_window, error_code }: Written): Promise<Fate> {
  const [channel, conversation] = await Promise.all([findChannelOf(app.db, clinic_id), findConversationOf(app.db, clinic_id, phone)]);
  const token = channel && openOfChannel(app.keys, clinic_id, 'access_token', channel.access_token_sealed);
  if (!token || !channel.phone_number_id) throw new ChatProviderError('unsent', 'The clinic has no chat number');
  const open = error_code !== WINDOW_CLOSED && isWindowOpen(conversation?.window_expires_at ?? null, app.clock.now());
  const chosen = !open && outside_window ? outside_window : content;
  const sent = await app.chat.send(token, channel.phone_number_id, providerBody(chosen, phone, id));
  return { state: 'sent', providerId: sent.id };
}

type Outcome = Fate & { stopsChannel?: boolean };

function outcomeOf(app: App, { attempts, outside_window, error_code }: OutboundRow, error: unknown): Outcome {
  const later = (ms: number) => new Date(app.clock.now().getTime() + ms);
  if (!(error instanceof ChatProviderError)) {
    // Our own trouble, before anything was sent: a neighbour that is away, or a fault of ours.
    app.log.warn({ err: error }, 'a message could not be prepared');
    if (attempts >= LAST_ATTEMPT) return { state: 'dead', code: 'not_prepared', error: 'It could not be written' };
    return { state: 'queued', code: 'not_prepared', nextAttemptAt: later(pauseMs('retry', attempts, Math.random())) };
  }
  if (error.outcome === 'unknown') return { state: 'uncertain', code: 'no_answer', error: error.message, nextAttemptAt: later(SILENT_MS) };
  if (error.outcome === 'unsent') {
    if (attempts >= LAST_ATTEMPT) return { state: 'dead', code: 'unreachable', error: error.message };
    return { state: 'queued', code: 'unreachable', error: error.message, nextAttemptAt: later(pauseMs('retry', attempts, Math.random())) };
  }
  const { http, code, message } = error;
  const hasTemplate = outside_window !== null && error_code !== WINDOW_CLOSED;
  const { delayMs, ...verdict } = verdictOn({ attempts, hasTemplate, code, http, message }, Math.random());
  return { ...verdict, nextAttemptAt: later(delayMs) };
}

async function settle(app: App, claimed: OutboundRow, fate: Outcome): Promise<void> {
  const now = app.clock.now();
  await inTenant(app.db, claimed.clinic_id, async (tx) => {
    const current = await lockOutbound(tx, claimed.clinic_id, claimed.id);
    // A status may have overtaken the answer to the call; then only the provider's id is news.
    if (!current) return;
    if (current.state === 'sending') await settleOutbound(tx, current, fate, now);
    else if (fate.providerId && !current.provider_id) await settleOutbound(tx, current, { state: current.state, providerId: fate.providerId }, now);
    if (fate.stopsChannel) await failChannel(tx, fate.error ?? '');
  });
}
