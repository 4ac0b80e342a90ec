// A payment was taken back, and with it what it earned.
import { subscribe } from '@clinic/lib/events/events.ts';
import { PaymentVoidedSchema } from '@clinic/proto/events/v1/dental_pb.js';
import type { App } from '../app.ts';
import { takeBack } from './commission-ledger.ts';

export const onPaymentVoided = (app: Pick<App, 'clock'>) =>
  subscribe('commissions-of-voids', 'dental', PaymentVoidedSchema, (tx, event, { clinicId }) => takeBack(tx, clinicId, event, app.clock.now()));
