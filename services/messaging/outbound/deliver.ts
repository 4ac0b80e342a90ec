// One message on its way to the provider, from claim to fate.
import { inTenant } from '@clinic/lib/db/db.ts';
import type { App } from '../app.ts';
import { decryptChannelSecret } from '../channel/channel-secrets.ts';
import { findChannelOf, markChannelFailed } from '../channel/channels.sql.ts';
import { ChatProviderError } from '../channel/chat-provider.ts';
import { MAX_ATTEMPTS, retryDelayMs } from '../channel/provider-errors-rules.ts';
import { findConversationOf } from '../conversations/conversations.sql.ts';
import { isWindowOpen } from '../conversations/takeover-rules.ts';
import { lockOutbound, type OutboundOutcome, type OutboundRow, recordOutcome, writeContent } from './outbound.sql.ts';
import { type Outgoing, toProviderBody } from './outgoing-content-rules.ts';
import { type Prepares, prepareMessage } from './prepare.ts';
import { outcomeOfRefusal, WINDOW_CLOSED_CODE } from './refusal-rules.ts';
import { addToConversation } from './send.ts';

/** How long the provider may take to say by a status whether it got a message whose call broke off. */
export const CONFIRMATION_MS = 120_000;

type WrittenMessage = OutboundRow & { phone: string; content: Outgoing };

/**
 * Sends a claimed message and writes its fate. Throws only when the fate cannot be written: then
 * the message is found as lost.
 */
export async function deliver(app: App, prepares: Prepares, claimed: OutboundRow): Promise<void> {
  let fate: DeliveryOutcome;
  try {
    const written = await writeMessage(app, prepares, claimed);
    fate = 'drop' in written ? { state: 'dropped', code: written.drop } : await transmit(app, written);
  } catch (error) {
    fate = outcomeOf(app, claimed, error);
  }
  await saveOutcome(app, claimed, fate);
}

/** Writes what is still to be written, and shows the message in its thread. */
async function writeMessage(app: App, prepares: Prepares, claimed: OutboundRow): Promise<WrittenMessage | { drop: string }> {
  const { clinic_id, id, phone, content } = claimed;
  const prepared = content === null ? await prepareMessage(app, prepares, claimed) : undefined;
  if (prepared && 'drop' in prepared) return prepared;
  const written = prepared
    ? { ...claimed, phone: prepared.phone, content: prepared.content, outside_window: prepared.outsideWindow ?? null }
    : { ...claimed, phone: phone ?? '', content: content as Outgoing };
  await inTenant(app.db, clinic_id, async (tx) => {
    if (prepared) await writeContent(tx, id, written.phone, written.content, written.outside_window);
    await addToConversation(tx, written, app.clock.now());
  });
  return written;
}

async function transmit(app: App, { clinic_id, id, phone, content, outside_window, error_code }: WrittenMessage): Promise<OutboundOutcome> {
  const [channel, conversation] = await Promise.all([findChannelOf(app.db, clinic_id), findConversationOf(app.db, clinic_id, phone)]);
  const token = decryptChannelSecret(app.keys, channel, 'access_token');
  if (!token || !channel?.phone_number_id) throw new ChatProviderError('unsent', 'The clinic has no chat number');
  const open = error_code !== WINDOW_CLOSED_CODE && isWindowOpen(conversation?.window_expires_at ?? null, app.clock.now());
  const chosen = !open && outside_window ? outside_window : content;
  const sent = await app.chat.send(token, channel.phone_number_id, toProviderBody(chosen, phone, id));
  return { state: 'sent', providerId: sent.id };
}

type DeliveryOutcome = OutboundOutcome & { stopsChannel?: boolean };

function outcomeOf(app: App, { attempts, outside_window, error_code }: OutboundRow, error: unknown): DeliveryOutcome {
  const later = (ms: number) => new Date(app.clock.now().getTime() + ms);
  if (!(error instanceof ChatProviderError)) {
    // Our own trouble, before anything was sent: a neighbour that is away, or a fault of ours.
    app.log.warn({ err: error }, 'a message could not be prepared');
    if (attempts >= MAX_ATTEMPTS) return { state: 'dead', code: 'not_prepared', error: 'It could not be written' };
    return { state: 'queued', code: 'not_prepared', nextAttemptAt: later(retryDelayMs('retry', attempts, Math.random())) };
  }
  if (error.outcome === 'unknown') return { state: 'uncertain', code: 'no_answer', error: error.message, nextAttemptAt: later(CONFIRMATION_MS) };
  if (error.outcome === 'unsent') {
    if (attempts >= MAX_ATTEMPTS) return { state: 'dead', code: 'unreachable', error: error.message };
    return { state: 'queued', code: 'unreachable', error: error.message, nextAttemptAt: later(retryDelayMs('retry', attempts, Math.random())) };
  }
  const { http, code, message } = error;
  const hasTemplate = outside_window !== null && error_code !== WINDOW_CLOSED_CODE;
  const { delayMs, ...verdict } = outcomeOfRefusal({ attempts, hasTemplate, code, http, message }, Math.random());
  return { ...verdict, nextAttemptAt: later(delayMs) };
}

async function saveOutcome(app: App, claimed: OutboundRow, fate: DeliveryOutcome): Promise<void> {
  const now = app.clock.now();
  await inTenant(app.db, claimed.clinic_id, async (tx) => {
    const current = await lockOutbound(tx, claimed.clinic_id, claimed.id);
    // A status may have overtaken the answer to the call; then only the provider's id is news.
    if (!current) return;
    if (current.state === 'sending') await recordOutcome(tx, current, fate, now);
    else if (fate.providerId && !current.provider_id) await recordOutcome(tx, current, { state: current.state, providerId: fate.providerId }, now);
    if (fate.stopsChannel) await markChannelFailed(tx, fate.error ?? '');
  });
}
