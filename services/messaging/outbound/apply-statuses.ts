// Applies the statuses that the provider reports for outgoing messages, many messages at once. Statuses may arrive late, more than once and in
// any order: a state only moves forward. Each attempt to send a message has its own id at the provider; of earlier attempts only delivered and
// read count.
import type { SystemTx } from '@clinic/lib/db/db.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { lockChannelOf, markChannelFailed } from '../channel/channels.sql.ts';
import { describeError } from '../channel/provider-errors-rules.ts';
import { advance } from './delivery-state-rules.ts';
import { logRecallPauses } from './log-recall-pauses.ts';
import {
  advancePastMessages,
  type Ended,
  lockSent,
  NO_ANSWER,
  type OutboundOutcome,
  type OutboundRow,
  recordOutcomes,
  type SentMessage,
} from './outbound.sql.ts';
import { outcomeOfRefusal } from './refusal-rules.ts';

/** `callback` is the message id that the provider returns, or empty. */
type Status = {
  clinicId: string;
  numberId: string;
  callback: string;
  providerId: string;
  status: 'sent' | 'delivered' | 'read' | 'failed';
  code: number;
  message: string;
};

/** Statuses of messages that this service did not send are ignored. */
export async function applyStatuses(tx: SystemTx, log: Log, statuses: Status[], now: Date): Promise<void> {
  if (statuses.length === 0) return;
  const locked = await lockSent(tx, statuses.map(toSent));
  const byId = new Map(locked.flatMap((one) => [one.id, one.provider_id ?? one.id].map((id) => [`${one.clinic_id}/${id}`, one])));
  const outcomes = new Map<OutboundRow, StatusOutcome>();
  const past: Status[] = [];
  for (const status of statuses) {
    const { clinicId, callback, providerId } = status;
    const outbound = byId.get(`${clinicId}/${callback}`) ?? byId.get(`${clinicId}/${providerId}`);
    if (!outbound) {
      past.push(status);
      continue;
    }
    const before = outcomes.get(outbound);
    const current = before && { state: before.state, provider_id: before.providerId, error_code: before.code ?? '' };
    const outcome = outcomeOf({ ...outbound, ...current }, status, now);
    if (outcome) outcomes.set(outbound, outcome);
  }
  const ended = [...outcomes].map(([outbound, outcome]) => ({ outbound, outcome }));
  await lockChannels(tx, ended);
  await recordOutcomes(tx, ended, now);
  logRecallPauses(
    log,
    ended.map(({ outbound, outcome }) => ({ clinicId: outbound.clinic_id, outcome })),
  );
  for (const { outbound, outcome } of ended) if (outcome.refused) await markChannelFailed(tx, outbound.clinic_id, outcome.refused, outcome.error ?? '');
  await advancePastMessages(
    tx,
    past.map((one) => ({ ...toSent(one), status: one.status, error: errorOf(one) })),
  );
}

/** Locks the channels that will be paused or stopped in the order of their clinics, in which recordOutcomes() locks those that it pauses. */
async function lockChannels(tx: SystemTx, ended: Ended[]): Promise<void> {
  const clinicIds = ended.flatMap(({ outbound, outcome }) => (outcome.refused || outcome.pausesRecalls ? [outbound.clinic_id] : []));
  for (const clinicId of [...new Set(clinicIds)].sort()) await lockChannelOf(tx, clinicId);
}

const toSent = ({ clinicId, callback, providerId }: Status): SentMessage => ({ clinicId, id: isUuid(callback) ? callback : null, providerId });
const errorOf = ({ status, code, message }: Status) => (status === 'failed' ? describeError({ code, http: 400, message }) : '');

type StatusOutcome = OutboundOutcome & { providerId: string };

function outcomeOf(outbound: OutboundRow, status: Status, now: Date): StatusOutcome | undefined {
  const { state: before, attempts, error_code, provider_id } = outbound;
  const { numberId, providerId, code, message } = status;
  // The stored id is that of the last attempt that the provider has accepted; unless the state is sent, that attempt has ended. Another id may be that
  // of an attempt whose response is not known yet, or never arrived. A replayed dead letter has no attempts.
  const isOpen = before === 'sending' || before === 'uncertain' || (before !== 'sent' && (error_code === NO_ANSWER || attempts === 0));
  const isEarlier = provider_id !== null && (provider_id === providerId ? before !== 'sent' : !isOpen);
  const state = isEarlier && (status.status === 'sent' || status.status === 'failed') ? undefined : advance(before, status.status);
  if (state !== 'failed') return state && { state, providerId };
  const { delayMs, stopsChannel, ...outcome } = outcomeOfRefusal(outbound, { code, http: 400, message }, Math.random());
  const refused = stopsChannel && { refused: { phone_number_id: numberId } };
  return { ...outcome, ...refused, providerId, nextAttemptAt: new Date(now.getTime() + delayMs) };
}
