// Facts: what billing stores of an event of the payment provider, without personal data. Instants are epoch milliseconds, so that a fact
// is the same in memory and in its jsonb column.
import type { Cycle } from './variants-rules.ts';

/** In the order of a subscription's life. */
export const SUBSCRIPTION_STATUSES = ['on_trial', 'active', 'past_due', 'paused', 'cancelled', 'unpaid', 'expired'] as const;
export type Subscribed = (typeof SUBSCRIPTION_STATUSES)[number];

/** Fields of every fact. */
type Common = {
  /** When it happened, according to the provider. */
  at: number;
  /** When it first arrived. */
  receivedAt: number;
  clinicId?: string | undefined;
};

/**
 * What was bought, according to PAYMENTS_VARIANTS when the event was processed; later changes of the setting do not affect it. Absent when
 * the event does not name it.
 */
type Bought = { plan?: string | undefined; cycle?: Cycle | undefined };

export type OrderFact = Common &
  Bought & {
    kind: 'order';
    orderId: string;
    createdAt?: number | undefined;
    status: 'paid' | 'refunded' | 'partially_refunded';
    totalCents: number;
    refundedCents: number;
    refundedAt?: number | undefined;
  };

export type SubscriptionFact = Common &
  Bought & {
    kind: 'subscription';
    subscriptionId: string;
    orderId?: string | undefined;
    createdAt?: number | undefined;
    status: Subscribed;
    renewsAt?: number | undefined;
    trialEndsAt?: number | undefined;
    endsAt?: number | undefined;
    /** Whether the service stays available, free of charge, during the pause. */
    pausedFree: boolean;
    resumesAt?: number | undefined;
  };

export type InvoiceFact = Common & {
  kind: 'invoice';
  subscriptionId: string;
  invoiceId: string;
  createdAt?: number | undefined;
  outcome: 'paid' | 'failed' | 'refunded';
};

export type Fact = OrderFact | SubscriptionFact | InvoiceFact;
