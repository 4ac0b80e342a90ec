// Applies a change of the subscription that a clinic has paid for. Usually billing's RPC has already applied it.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { subscribe } from '@clinic/lib/events/events.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { PAID_PLANS } from '@clinic/lib/formats/plans.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { SubscriptionChangedSchema } from '@clinic/proto/events/v1/billing_pb.js';
import type { App } from '../app.ts';
import { applyPaidSubscription } from './apply-paid.ts';
import { PAID_STATUSES } from './paid-subscription-rules.ts';

/** An event for an unknown clinic is ignored: billing reports it to operators. */
export const onSubscriptionChanged = (app: Pick<App, 'clock'>) =>
  subscribe('subscription-changed', 'billing', SubscriptionChangedSchema, async (tx, event, { id, clinicId }) => {
    if (!event.expiresAt) return;
    const paid = {
      plan: parseOneOf('plan', event.plan, PAID_PLANS),
      expiresAt: timestampDate(event.expiresAt),
      status: parseOneOf('status', event.status, PAID_STATUSES),
      revision: event.revision,
      sourceEventId: event.sourceEventId || id, // events of earlier releases do not name it
    };
    await applyPaidSubscription(tx, clinicId, paid, serviceCaller('billing', id), app.clock.now());
  });
