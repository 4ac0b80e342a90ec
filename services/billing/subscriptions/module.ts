import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { PaymentEventService } from '@clinic/proto/billing/v1/payment_event_pb.js';
import { StateService } from '@clinic/proto/billing/v1/states_pb.js';
import type { App } from '../app.ts';
import { bodyContext } from './encrypted-body.ts';
import { listOperatorActions } from './list-operator-actions.ts';
import { listOrderStates } from './list-order-states.ts';
import { listPaymentEvents } from './list-payment-events.ts';
import { workPaymentEvent } from './process-event.ts';
import { receivePaymentEvent } from './receive-payment-event.ts';
import { replayPaymentEvent } from './replay-payment-event.ts';
import { sweepPayments } from './sweep-payments.ts';

export const subscriptions: Module<App> = {
  rpcs: [
    rpcs(PaymentEventService, { receivePaymentEvent, listPaymentEvents, replayPaymentEvent }),
    rpcs(StateService, { listOrderStates, listOperatorActions }),
  ],
  jobs: (app) => [workPaymentEvent(app), sweepPayments(app)],
  personal: [
    { table: 'payment_facts', ofClinic: 'clinic_id = $1 or named_clinic_id = $1', whole: true },
    { table: 'payment_events', whole: true },
    { table: 'clinic_subscriptions' },
    { table: 'orders', withClinic: 'keep', why: 'amounts and dates of payments, without names, for accounting' },
  ],
  encrypted: [{ table: 'payment_events', key: ['id'], column: 'body_sealed', context: ({ id }) => bodyContext(id) }],
};
