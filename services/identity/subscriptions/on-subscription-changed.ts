// Applies a change of the subscription that a clinic has paid for. Usually billing's RPC has already applied it.
import { subscribe } from '@clinic/lib/events/events.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { SubscriptionChangedSchema } from '@clinic/proto/events/v1/billing_pb.js';
import type { App } from '../app.ts';
import { applyPaidSubscription, parsePaid } from './apply-paid.ts';

/** An event for an unknown clinic is ignored: billing reports it to operators. */
export const onSubscriptionChanged = (app: Pick<App, 'clock'>) =>
  subscribe('subscription-changed', 'billing', SubscriptionChangedSchema, async (tx, event, { id, clinicId }) => {
    if (!event.expiresAt) return;
    const paid = parsePaid(event, event.expiresAt, event.sourceEventId || id); // events of earlier releases do not name their source
    await applyPaidSubscription(tx, clinicId, paid, serviceCaller('billing', id), app.clock.now());
  });
