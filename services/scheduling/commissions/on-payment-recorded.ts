// Records the commission of a payment.
import { subscribe } from '@clinic/lib/events/events.ts';
import { PaymentRecordedSchema } from '@clinic/proto/events/v1/dental_pb.js';
import type { App } from '../app.ts';
import { recordCommission } from './commission-ledger.ts';

export const onPaymentRecorded = (app: Pick<App, 'clock'>) =>
  subscribe('commissions-of-payments', 'dental', PaymentRecordedSchema, (tx, event, { clinicId }) => recordCommission(tx, clinicId, event, app.clock.now()));
