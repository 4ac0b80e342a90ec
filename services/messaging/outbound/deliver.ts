// Sends one claimed message to the provider and records the outcome.
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

/** After a call without a response, how long to wait for a status of the provider that confirms the message. */
export const CONFIRMATION_MS = 120_000;

type WrittenMessage = OutboundRow & { phone: string; content: Outgoing };

/** Throws only when the outcome cannot be saved: then the sweep finds the message as abandoned. */
export async function deliver(app: App, prepares: Prepares, claimed: OutboundRow): Promise<void> {
  let outcome: DeliveryOutcome;
  try {
    const written = await writeMessage(app, prepares, claimed);
    outcome = 'drop' in written ? { state: 'dropped', code: written.drop } : await transmit(app, written);
  } catch (error) {
    outcome = outcomeOf(app, claimed, error);
  }
  await saveOutcome(app, claimed, outcome);
}

/** Prepares the message if it has no content yet, and adds it to its conversation. */
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

function outcomeOf(app: App, { id, attempts, outside_window, error_code }: OutboundRow, error: unknown): DeliveryOutcome {
  const later = (ms: number) => new Date(app.clock.now().getTime() + ms);
  if (!(error instanceof ChatProviderError)) {
    // Nothing was sent: another service is unavailable, or preparing the message failed.
    app.log.warn({ err: error, outbound: id }, 'an outbound message could not be prepared');
    if (attempts >= MAX_ATTEMPTS) return { state: 'dead', code: 'not_prepared', error: 'The message could not be prepared' };
    return { state: 'queued', code: 'not_prepared', nextAttemptAt: later(retryDelayMs('retry', attempts, Math.random())) };
  }
  if (error.outcome === 'unknown') return { state: 'uncertain', code: 'no_answer', error: error.message, nextAttemptAt: later(CONFIRMATION_MS) };
  if (error.outcome === 'unsent') {
    if (attempts >= MAX_ATTEMPTS) return { state: 'dead', code: 'unreachable', error: error.message };
    return { state: 'queued', code: 'unreachable', error: error.message, nextAttemptAt: later(retryDelayMs('retry', attempts, Math.random())) };
  }
  const { http, code, message } = error;
  const hasTemplate = outside_window !== null && error_code !== WINDOW_CLOSED_CODE;
  const { delayMs, ...outcome } = outcomeOfRefusal({ attempts, hasTemplate, code, http, message }, Math.random());
  return { ...outcome, nextAttemptAt: later(delayMs) };
}

async function saveOutcome(app: App, claimed: OutboundRow, outcome: DeliveryOutcome): Promise<void> {
  const now = app.clock.now();
  await inTenant(app.db, claimed.clinic_id, async (tx) => {
    const current = await lockOutbound(tx, claimed.clinic_id, claimed.id);
    if (!current) return;
    // A status of the provider may have come before the response to the call; then only the provider's id is new.
    if (current.state === 'sending') await recordOutcome(tx, current, outcome, now);
    else if (outcome.providerId && !current.provider_id) await recordOutcome(tx, current, { state: current.state, providerId: outcome.providerId }, now);
    if (outcome.stopsChannel) await markChannelFailed(tx, outcome.error ?? '');
  });
}
