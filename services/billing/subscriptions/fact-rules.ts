// What billing remembers of one event of the payment provider: states and instants, nothing personal. Instants are epoch
// milliseconds, so that a fact is the same in memory and in its jsonb column.
import type { Cycle } from './variants-rules.ts';

export type Subscribed = 'on_trial' | 'active' | 'past_due' | 'paused' | 'cancelled' | 'unpaid' | 'expired';

/** What every fact knows. */
type Common = {
  /** When it was so, as the provider says. */
  at: number;
  /** When it came in for the first time. */
  receivedAt: number;
  clinicId?: string | undefined;
};

/**
 * What was bought, by the settings of the day on which the event was worked on: a variant that leaves them changes no past.
 * Absent when the event does not say; then other facts do.
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
    /** A pause during which the service is given for free. */
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
