// Billing's wiring.
import path from 'node:path';
import { dataSubjectRpc } from '@clinic/lib/data-subject.ts';
import { implement } from '@clinic/lib/rpc/pipeline.ts';
import type { ServiceModule } from '@clinic/lib/service.ts';
import { PaymentEventService } from '@clinic/proto/billing/v1/payment_event_pb.js';
import { StateService } from '@clinic/proto/billing/v1/states_pb.js';
import { SubscriptionService } from '@clinic/proto/identity/v1/subscription_pb.js';
import { createClient } from '@connectrpc/connect';
import type { App } from './app.ts';
import personal from './personal.ts';
import { settings } from './settings.ts';
import { listOperatorActions } from './subscriptions/list-operator-actions.ts';
import { listOrderStates } from './subscriptions/list-order-states.ts';
import { listPaymentEvents } from './subscriptions/list-payment-events.ts';
import { receivePaymentEvent } from './subscriptions/receive-payment-event.ts';
import { replayPaymentEvent } from './subscriptions/replay-payment-event.ts';
import { sweepPayments } from './subscriptions/sweep-payments.ts';
import { workPaymentEvent } from './subscriptions/work-payment-event.ts';
import { dte } from './tax-documents/module.ts';
import { dteSettings } from './tax-documents/settings.ts';

export default {
  name: 'billing',
  migrations: path.join(import.meta.dirname, 'migrations'),
  settings: { ...settings, ...dteSettings },
  neighbours: ['identity', 'scheduling', 'messaging'],
  personal,
  create({ settings: all, db, clock, log, neighbour }) {
    const { ENCRYPTION_KEYS, NODE_ENV, PAYMENTS_VARIANTS, PAYMENTS_GRACE_DAYS } = all;
    const taxes = dte({ settings: all, keys: ENCRYPTION_KEYS, db, clock, log, neighbour });
    const app: App = {
      db,
      clock,
      log,
      constraints: {},
      keys: ENCRYPTION_KEYS,
      variants: PAYMENTS_VARIANTS,
      graceDays: PAYMENTS_GRACE_DAYS,
      production: NODE_ENV === 'production',
      subscriptions: createClient(SubscriptionService, neighbour('identity')),
    };
    return {
      implementations: [
        dataSubjectRpc({ db, log, keys: ENCRYPTION_KEYS, personal }),
        implement(app, PaymentEventService, { receivePaymentEvent, listPaymentEvents, replayPaymentEvent }),
        implement(app, StateService, { listOrderStates, listOperatorActions }),
        ...taxes.implementations,
      ],
      consumers: taxes.consumers,
      jobs: [workPaymentEvent(app), sweepPayments(app), ...taxes.jobs],
    };
  },
} satisfies ServiceModule<typeof settings & typeof dteSettings>;
