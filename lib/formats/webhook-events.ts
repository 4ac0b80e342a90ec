// The events that webhooks carry: the names that clinics subscribe to, and the contracts that the services publish.
import type { DescMessage } from '@bufbuild/protobuf';
import { PaymentPlanUpdatedSchema, PaymentRecordedSchema, PaymentVoidedSchema, TreatmentPlanUpdatedSchema } from '@clinic/proto/events/v1/dental_pb.js';
import { TaxDocumentChangedSchema } from '@clinic/proto/events/v1/dte_pb.js';
import { ConversationUpdatedSchema } from '@clinic/proto/events/v1/messaging_pb.js';
import {
  AppointmentBookedSchema,
  AppointmentCheckedInSchema,
  AppointmentReassignedSchema,
  AppointmentRescheduledSchema,
  AppointmentStatusChangedSchema,
  AppointmentsUpdatedSchema,
  PatientCreatedSchema,
  PatientsChangedSchema,
  PatientsMergedSchema,
  PatientsUnmergedSchema,
  PatientUpdatedSchema,
  WaitlistEntryUpdatedSchema,
  WaitlistOfferClosedSchema,
  WaitlistOfferedSchema,
} from '@clinic/proto/events/v1/scheduling_pb.js';

export const WEBHOOK_EVENTS = [
  'appointment.booked',
  'appointment.checked_in',
  'appointment.reassigned',
  'appointment.rescheduled',
  'appointment.status_changed',
  'appointment.updated',
  'conversation.mode_changed',
  'patient.created',
  'patient.merged',
  'patient.unmerged',
  'patient.updated',
  'payment.recorded',
  'payment.voided',
  'payment_plan.updated',
  'tax_document.updated',
  'treatment_plan.updated',
  'waitlist.entry_updated',
  'waitlist.offer_closed',
  'waitlist.offered',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

export type WebhookSource = {
  type: WebhookEvent;
  producer: 'billing' | 'dental' | 'messaging' | 'scheduling';
  event: DescMessage;
  /** The field of the payload whose id keeps deliveries in order, for example `appointment.appointment_id`. */
  entity: string;
  /** An event about several records: its list. Each is delivered by itself, under the name `one`. */
  list?: { field: string; one: string };
  /** The fields that are sent; all when absent. */
  fields?: string[];
  /** Only events in which this field has one of these values are sent. */
  only?: { field: string; values: string[] };
};

const appointment = { producer: 'scheduling', entity: 'appointment.appointment_id' } as const;
const patient = { producer: 'scheduling', entity: 'patient.patient_id', fields: ['patient'] } satisfies Partial<WebhookSource>;
const paymentPlan = { producer: 'dental', entity: 'payment_plan.payment_plan_id' } as const;
const waitlist = { producer: 'scheduling', entity: 'entry_id' } as const;

export const WEBHOOK_SOURCES: readonly WebhookSource[] = [
  { type: 'appointment.booked', event: AppointmentBookedSchema, ...appointment },
  { type: 'appointment.checked_in', event: AppointmentCheckedInSchema, ...appointment },
  { type: 'appointment.reassigned', event: AppointmentReassignedSchema, ...appointment },
  { type: 'appointment.rescheduled', event: AppointmentRescheduledSchema, ...appointment },
  { type: 'appointment.status_changed', event: AppointmentStatusChangedSchema, ...appointment },
  { type: 'appointment.updated', event: AppointmentsUpdatedSchema, ...appointment, list: { field: 'appointments', one: 'appointment' } },
  {
    type: 'conversation.mode_changed',
    producer: 'messaging',
    event: ConversationUpdatedSchema,
    entity: 'conversation_id',
    fields: ['conversation_id', 'patient_id', 'mode', 'revision'],
    only: { field: 'change', values: ['takeover', 'release'] },
  },
  { type: 'patient.created', event: PatientCreatedSchema, ...patient },
  { type: 'patient.merged', producer: 'scheduling', event: PatientsMergedSchema, entity: 'kept_id' },
  { type: 'patient.unmerged', producer: 'scheduling', event: PatientsUnmergedSchema, entity: 'kept_id' },
  { type: 'patient.updated', event: PatientUpdatedSchema, ...patient },
  { type: 'patient.updated', event: PatientsChangedSchema, ...patient, list: { field: 'patients', one: 'patient' } },
  { type: 'payment.recorded', event: PaymentRecordedSchema, ...paymentPlan },
  { type: 'payment.voided', event: PaymentVoidedSchema, ...paymentPlan },
  { type: 'payment_plan.updated', event: PaymentPlanUpdatedSchema, ...paymentPlan },
  { type: 'tax_document.updated', producer: 'billing', event: TaxDocumentChangedSchema, entity: 'document_id' },
  { type: 'treatment_plan.updated', producer: 'dental', event: TreatmentPlanUpdatedSchema, entity: 'treatment_plan_id' },
  { type: 'waitlist.entry_updated', event: WaitlistEntryUpdatedSchema, ...waitlist },
  { type: 'waitlist.offer_closed', event: WaitlistOfferClosedSchema, ...waitlist },
  { type: 'waitlist.offered', event: WaitlistOfferedSchema, ...waitlist },
];
