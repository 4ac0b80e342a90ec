// One attempt to send a claimed message: checks that it is still to be sent, records that it is about to be transmitted, calls the provider, and
// records the outcome. A message that was transmitted without a confirmation is never sent again.
import { setTimeout as sleep } from 'node:timers/promises';
import { createBatches } from '@clinic/lib/background/batches.ts';
import { asSystem, inTenant, isStatementError } from '@clinic/lib/db/db.ts';
import { toServiceError } from '@clinic/lib/errors/errors.ts';
import { isReason } from '@clinic/lib/rpc/reasons.ts';
import { countUse } from '@clinic/lib/usage/usage.ts';
import type { App } from '../app.ts';
import { decryptChannelSecret } from '../channel/channel-secrets.ts';
import { type Account, markChannelFailed } from '../channel/channels.sql.ts';
import { ChatProviderError } from '../channel/chat-provider.ts';
import { describeError, MAX_ATTEMPTS, retryDelayMs } from '../channel/provider-errors-rules.ts';
import { linkPatient } from '../conversations/conversations.sql.ts';
import { lookUpPatient } from '../conversations/look-up-patient.ts';
import { isWindowOpen } from '../conversations/takeover-rules.ts';
import { createTogether } from './chat-loop.ts';
import { type Addressed, beginPreparedTransmissions, beginTransmissions, findRecipients, lockClaimed, type Recipient } from './claims.sql.ts';
import { logRecallPauses } from './log-recall-pauses.ts';
import { type DropReason, describeReason, isHeldByQuietHours, isTooOld } from './message-kinds-rules.ts';
import { type Ended, NO_ANSWER, type OutboundOutcome, type OutboundRow, recordOutcomes } from './outbound.sql.ts';
import { type Outgoing, toProviderBody } from './outgoing-content-rules.ts';
import { type Prepares, prepareMessage } from './prepare.ts';
import { endOfQuietHours, type QuietHours } from './quiet-hours-rules.ts';
import { endOfRecallPause, outcomeOfRefusal, RECALLS_PAUSED_CODE, WINDOW_CLOSED_CODE } from './refusal-rules.ts';
import { readQuietHours } from './reminder-settings.sql.ts';
import { addToConversations } from './send.ts';

/**
 * How long to wait for a status of the provider that confirms a message whose call had no response. Later messages to the phone wait meanwhile;
 * afterwards the message is shown as uncertain.
 */
export const CONFIRMATION_MS = 20_000;

type Attempted = { claimed: OutboundRow; outcome: OutboundOutcome };

const BATCH = { size: 100 };
const SAVE_REPETITIONS = 15;
const SAVE_PAUSE_MS = 1_000;

/** The database steps of an attempt, which concurrent attempts share in batches. */
type Steps = ReturnType<typeof createSteps>;

/** `stopping` ends the repetitions of a save, so that the process can stop. */
export function createSteps(app: App, stopping: AbortSignal) {
  const attempts = createTogether();
  const beginPrepared = createBatches<Composed, Begun>(BATCH, (messages) => addPrepared(app, messages));
  const save = createBatches<Attempted>({ ...BATCH, gather: attempts.wait }, (attempted) => saveOutcomes(app, attempted));
  return {
    attempt: attempts.run,
    findQuietHours: createBatches<string, QuietHours>(BATCH, (clinicIds) => readQuietHours(app.db, clinicIds)),
    findRecipient: createBatches<Addressed, Recipient | undefined>(BATCH, (messages) => findRecipients(app.db, messages, app.clock.now())),
    begin: createBatches<OutboundRow, boolean>(BATCH, (claims) => beginTransmissions(app.db, claims)),
    /** If a statement of a batch fails, each message begins on its own, since another one may be the cause. */
    beginPrepared: (one: Composed): Promise<Begun> =>
      beginPrepared(one).catch(async (error) => {
        if (!isStatementError(error)) throw error; // the batch may have been stored
        const [begun = false] = await addPrepared(app, [one]);
        return begun;
      }),
    /**
     * If a batch fails, each outcome is saved on its own, since another one may be the cause. Repeated while the database is unavailable: without
     * the outcome, the message would later count as one that may have been delivered.
     */
    async save(one: Attempted): Promise<void> {
      for (let left = SAVE_REPETITIONS; ; left--) {
        try {
          return await save(one).catch(() => saveOutcomes(app, [one]));
        } catch (error) {
          if (left === 0 || stopping.aborted || toServiceError(error, {}).reason !== 'UNAVAILABLE') throw error;
        }
        await sleep(SAVE_PAUSE_MS, undefined, { signal: stopping }).catch(() => {});
      }
    },
  };
}

type Composed = Addressed & { content: Outgoing; patient: { id: string; name: string } | null | undefined };
type Begun = boolean | 'waits';

/** Begins the transmission of messages that were composed for this attempt, and adds them to their conversations. */
function addPrepared(app: App, messages: Composed[]): Promise<Begun[]> {
  const now = app.clock.now();
  // As the system, because the messages belong to several clinics.
  return asSystem(app.db, async (tx) => {
    const begun = await beginPreparedTransmissions(tx, messages);
    const added = messages.filter((_, index) => begun[index] === true);
    const written = added.map(({ claimed, phone, content }) => ({ ...claimed, phone, content }));
    if (written.length > 0) await addToConversations(tx, written, now);
    await Promise.all(added.map(({ claimed, phone, patient }) => patient && linkPatient(tx, claimed.clinic_id, phone, patient, now)));
    return begun;
  });
}

/** Throws only if the outcome cannot be saved. The lease then ends, and recoverAbandoned() finds the message. */
export async function deliver(app: App, prepares: Prepares, steps: Steps, claimed: OutboundRow): Promise<void> {
  let outcome: OutboundOutcome | undefined;
  try {
    outcome = await steps.attempt(attempt(app, prepares, steps, claimed));
  } catch (error) {
    outcome = outcomeOf(app, claimed, error);
  }
  if (outcome) await steps.save({ claimed, outcome });
}

/** Undefined if the claim is no longer valid, because another sender has the message. */
async function attempt(app: App, prepares: Prepares, steps: Steps, claimed: OutboundRow): Promise<OutboundOutcome | undefined> {
  const { clinic_id, id, kind, reference, due_at, needed_by, error_code } = claimed;
  const now = app.clock.now();
  if (isTooOld(kind, due_at, now)) return TOO_OLD;
  const isHeld = isHeldByQuietHours(kind, due_at, now);
  // Prompt replies to a patient are sent whatever the state of the clinic.
  const clinic = isHeld || reference !== null ? await app.clinics.get(clinic_id) : undefined;
  if (clinic && !clinic.isActive) return dropped('clinic_inactive');
  const quietUntil = isHeld && clinic && endOfQuietHours(now, needed_by, clinic.timezone, await steps.findQuietHours(clinic_id));
  if (quietUntil) return postponed(quietUntil);
  const prepared = clinic && (await prepareMessage(app, prepares, clinic, claimed));
  if (prepared && 'drop' in prepared) return dropped(prepared.drop);
  if (prepared && 'notBefore' in prepared) return postponed(prepared.notBefore);
  const phone = prepared?.phone ?? claimed.phone ?? '';
  const recipient = await steps.findRecipient({ claimed, phone });
  const token = decryptChannelSecret(app.keys, recipient, 'access_token');
  if (!token || !recipient?.phone_number_id) throw new ChatProviderError('unsent', 'The clinic has no chat number');
  const content = prepared?.content ?? recipient.content;
  if (!content) throw new Error('The message has no content');
  if (kind === 'bot' && recipient.is_taken_over) return dropped('taken_over');
  const pausedUntil = kind === 'recall' && endOfRecallPause(recipient.recalls_paused_until, now);
  if (pausedUntil) return { ...postponed(pausedUntil), ...RECALLS_PAUSED };
  const isOpen = error_code !== WINDOW_CLOSED_CODE && isWindowOpen(recipient.window_expires_at, now);
  const template = isOpen ? content.template : (prepared?.outsideWindow ?? content.template);
  if (!isOpen && !template) return { state: 'failed', code: WINDOW_CLOSED_CODE, error: WINDOW_CLOSED };
  const patient = prepared && (await lookUpPatient(app, { ...recipient, phone }));
  const begun = await (prepared ? steps.beginPrepared({ claimed, phone, content, patient }) : steps.begin(claimed));
  if (begun === 'waits') return { state: 'queued', nextAttemptAt: now, postponed: true };
  if (!begun) return undefined;
  try {
    const sent = await app.chat.send(token, recipient.phone_number_id, toProviderBody({ ...content, ...(template && { template }) }, phone, id));
    countUse(clinic_id, now, { messages: 1 });
    return { state: 'sent', providerId: sent.id };
  } catch (error) {
    return outcomeOf(app, claimed, error, recipient);
  }
}

const WINDOW_CLOSED = describeError({ code: Number(WINDOW_CLOSED_CODE), http: 400, message: '' });
export const TOO_OLD: OutboundOutcome = { state: 'failed', code: 'expired', error: 'The message could not be sent in time' };
const RECALLS_PAUSED = { code: RECALLS_PAUSED_CODE, error: 'Recall messages wait because the provider limits the messages of the number' };

const dropped = (code: DropReason): OutboundOutcome => ({ state: 'dropped', code, error: describeReason(code) });
const postponed = (until: Date): OutboundOutcome => ({
  state: 'queued',
  code: 'quiet_hours',
  error: 'The message waits for the end of the quiet hours',
  nextAttemptAt: until,
  postponed: true,
});

/** `account`: the one with which the provider was called. */
function outcomeOf(app: App, claimed: OutboundRow, error: unknown, account?: Account): OutboundOutcome {
  const { id, attempts, failures } = claimed;
  const later = (ms: number) => new Date(app.clock.now().getTime() + ms);
  const again = { state: 'queued', nextAttemptAt: later(retryDelayMs('retry', attempts, Math.random())) } as const;
  if (!(error instanceof ChatProviderError)) {
    // Nothing was sent. If another service is unavailable, attempts go on until the message is too old.
    app.log.warn({ err: error, outbound: id }, 'an outbound message could not be prepared');
    const isCounted = !isReason(error, 'UNAVAILABLE');
    if (isCounted && failures + 1 >= MAX_ATTEMPTS) return { state: 'dead', code: 'not_prepared', error: 'The message could not be prepared' };
    return { ...again, isCounted, code: 'not_prepared', error: 'The message could not be prepared yet' };
  }
  if (error.outcome === 'unknown') return { state: 'uncertain', code: NO_ANSWER, error: error.message, nextAttemptAt: later(CONFIRMATION_MS) };
  // Retried until the message is too old.
  if (error.outcome === 'unsent') return { ...again, code: 'unreachable', error: error.message };
  const { delayMs, stopsChannel, ...outcome } = outcomeOfRefusal(claimed, error, Math.random());
  return { ...outcome, ...(stopsChannel && account && { refused: account }), nextAttemptAt: later(delayMs) };
}

async function saveOutcomes(app: App, attempted: Attempted[]): Promise<void> {
  for (const { claimed, outcome } of attempted) {
    const { refused, error = '' } = outcome;
    if (refused) await inTenant(app.db, claimed.clinic_id, (tx) => markChannelFailed(tx, claimed.clinic_id, refused, error));
  }
  // As the system, because the messages belong to several clinics.
  await asSystem(app.db, async (tx) => {
    const claims = attempted.map(({ claimed }) => claimed);
    const locked = new Map((await lockClaimed(tx, claims)).map((one) => [one.id, one]));
    const ended = attempted.flatMap(({ claimed, outcome }) => toEnded(locked.get(claimed.id), claimed, outcome));
    await recordOutcomes(tx, ended, app.clock.now());
  });
  logRecallPauses(
    app.log,
    attempted.map(({ claimed, outcome }) => ({ clinicId: claimed.clinic_id, outcome })),
  );
}

/** Meanwhile the claim may have been treated as abandoned, or a status of the provider may have arrived before the response to the call. */
function toEnded(current: OutboundRow | undefined, claimed: OutboundRow, outcome: OutboundOutcome): Ended[] {
  if (!current) return [];
  const isOwn = current.state === 'sending' && current.claimed_at.getTime() === claimed.claimed_at.getTime();
  if (isOwn || current.error_code === NO_ANSWER) return [{ outbound: current, outcome }];
  return outcome.providerId && !current.provider_id ? [{ outbound: current, outcome: { state: current.state, providerId: outcome.providerId } }] : [];
}
