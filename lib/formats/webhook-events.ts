// The events that webhooks deliver: the types that clinics subscribe to, and the events of the services from which they are created.
import type { DescMessage } from '@bufbuild/protobuf';
import * as dental from '@clinic/proto/events/v1/dental_pb.js';
import { TaxDocumentChangedSchema } from '@clinic/proto/events/v1/dte_pb.js';
import { ConversationUpdatedSchema } from '@clinic/proto/events/v1/messaging_pb.js';
import * as scheduling from '@clinic/proto/events/v1/scheduling_pb.js';

export type WebhookSource = {
  type: string;
  producer: 'billing' | 'dental' | 'messaging' | 'scheduling';
  event: DescMessage;
  /** The field of the payload whose id keeps deliveries in order, for example `appointment.appointment_id`. */
  entity: string;
  /** For an event about several records: the field with their list. Each record is delivered separately, in a field with the name `one`. */
  list?: { field: string; one: string };
  /** The fields that are sent. Absent: all fields. */
  fields?: string[];
  /** Only events in which `field` has one of `values` are sent. */
  only?: { field: string; values: string[] };
};

const appointment = { producer: 'scheduling', entity: 'appointment.appointment_id' } as const;
const patient = { producer: 'scheduling', entity: 'patient.patient_id', fields: ['patient'] } satisfies Partial<WebhookSource>;
const paymentPlan = { producer: 'dental', entity: 'payment_plan.payment_plan_id' } as const;
const waitlist = { producer: 'scheduling', entity: 'entry_id' } as const;

export const WEBHOOK_SOURCES: readonly WebhookSource[] = [
  { type: 'appointment.booked', event: scheduling.AppointmentBookedSchema, ...appointment },
  { type: 'appointment.checked_in', event: scheduling.AppointmentCheckedInSchema, ...appointment },
  { type: 'appointment.reassigned', event: scheduling.AppointmentReassignedSchema, ...appointment },
  { type: 'appointment.rescheduled', event: scheduling.AppointmentRescheduledSchema, ...appointment },
  { type: 'appointment.status_changed', event: scheduling.AppointmentStatusChangedSchema, ...appointment },
  { type: 'appointment.updated', event: scheduling.AppointmentsUpdatedSchema, ...appointment, list: { field: 'appointments', one: 'appointment' } },
  {
    type: 'conversation.mode_changed',
    producer: 'messaging',
    event: ConversationUpdatedSchema,
    entity: 'conversation_id',
    fields: ['conversation_id', 'patient_id', 'mode', 'revision'],
    only: { field: 'change', values: ['takeover', 'release'] },
  },
  { type: 'patient.created', event: scheduling.PatientCreatedSchema, ...patient },
  { type: 'patient.merged', producer: 'scheduling', event: scheduling.PatientsMergedSchema, entity: 'kept_id' },
  { type: 'patient.unmerged', producer: 'scheduling', event: scheduling.PatientsUnmergedSchema, entity: 'kept_id' },
  { type: 'patient.updated', event: scheduling.PatientUpdatedSchema, ...patient },
  { type: 'patient.updated', event: scheduling.PatientsChangedSchema, ...patient, list: { field: 'patients', one: 'patient' } },
  { type: 'payment.recorded', event: dental.PaymentRecordedSchema, ...paymentPlan },
  { type: 'payment.voided', event: dental.PaymentVoidedSchema, ...paymentPlan },
  { type: 'payment_plan.updated', event: dental.PaymentPlanUpdatedSchema, ...paymentPlan },
  { type: 'tax_document.updated', producer: 'billing', event: TaxDocumentChangedSchema, entity: 'document_id' },
  { type: 'treatment_plan.updated', producer: 'dental', event: dental.TreatmentPlanUpdatedSchema, entity: 'treatment_plan_id' },
  { type: 'waitlist.entry_updated', event: scheduling.WaitlistEntryUpdatedSchema, ...waitlist },
  { type: 'waitlist.offer_closed', event: scheduling.WaitlistOfferClosedSchema, ...waitlist },
  { type: 'waitlist.offered', event: scheduling.WaitlistOfferedSchema, ...waitlist },
];

/** The types, each once. */
export const WEBHOOK_EVENTS = [...new Set(WEBHOOK_SOURCES.map(({ type }) => type))];
