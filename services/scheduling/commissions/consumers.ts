// Payments of dental, which earn commissions until they are voided.
import { oneByOne, subscribe, subscribeAll } from '@clinic/lib/events/events.ts';
import { PaymentRecordedSchema, PaymentVoidedSchema } from '@clinic/proto/events/v1/dental_pb.js';
import type { App } from '../app.ts';
import { recordCommission, reverseCommission } from './commission-ledger.ts';

export const onPaymentRecorded = ({ clock }: Pick<App, 'clock'>) =>
  subscribeAll(
    'commissions-of-payments',
    'dental',
    PaymentRecordedSchema,
    oneByOne((tx, event, { clinicId }) => recordCommission(tx, clinicId, event, clock.now())),
    { concerns: ({ event }) => event.appointmentIds.length > 0 },
  );

export const onPaymentVoided = ({ clock }: Pick<App, 'clock'>) =>
  subscribe('commissions-of-voids', 'dental', PaymentVoidedSchema, (tx, event, { clinicId }) => reverseCommission(tx, clinicId, event, clock.now()));
