// Reverses the commission of a voided payment.
import { subscribe } from '@clinic/lib/events/events.ts';
import { PaymentVoidedSchema } from '@clinic/proto/events/v1/dental_pb.js';
import type { App } from '../app.ts';
import { reverseCommission } from './commission-ledger.ts';

export const onPaymentVoided = (app: Pick<App, 'clock'>) =>
  subscribe('commissions-of-voids', 'dental', PaymentVoidedSchema, (tx, event, { clinicId }) => reverseCommission(tx, clinicId, event, app.clock.now()));
