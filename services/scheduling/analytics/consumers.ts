// Events that change the figures. An event says what changed, not by how much: what it touches is counted again.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { subscribe } from '@clinic/lib/events/events.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { PaymentPlanUpdatedSchema, TreatmentPlanUpdatedSchema } from '@clinic/proto/events/v1/dental_pb.js';
import { TaxDocumentChangedSchema } from '@clinic/proto/events/v1/dte_pb.js';
import { ClinicRegisteredSchema, ClinicUpdatedSchema } from '@clinic/proto/events/v1/identity_pb.js';
import {
  AppointmentBookedSchema,
  AppointmentReassignedSchema,
  AppointmentRescheduledSchema,
  AppointmentStatusChangedSchema,
} from '@clinic/proto/events/v1/scheduling_pb.js';
import type { App } from '../app.ts';
import { FIRST_REVISION } from '../clinics/clinics.sql.ts';
import { storeZone } from '../zone-changes/change-zone.ts';
import { toPaymentPlanFacts, toTreatmentFacts } from './plan-facts.ts';
import { updateAppointmentFigures, updateDocumentFigures, updateFiguresZone, updatePaymentPlanFigures, updateTreatmentFigures } from './update-figures.ts';

export const consumers = (app: Pick<App, 'plans' | 'clock'>) => [
  subscribe('analytics-of-bookings', 'scheduling', AppointmentBookedSchema, async (tx, { appointment }, { clinicId }) => {
    if (!appointment) return;
    const { appointmentId, appointmentDate, doctorId } = appointment;
    await updateAppointmentFigures(tx, clinicId, { days: [{ date: appointmentDate, doctorId }], appointmentIds: [appointmentId] });
  }),

  subscribe('analytics-of-statuses', 'scheduling', AppointmentStatusChangedSchema, async (tx, { appointment, previousStatus }, { clinicId }) => {
    if (!appointment) return;
    const { appointmentId, appointmentDate, doctorId, patientId, status } = appointment;
    const patientIds = [status, previousStatus].includes('completed') ? [patientId] : [];
    await updateAppointmentFigures(tx, clinicId, { days: [{ date: appointmentDate, doctorId }], patientIds, appointmentIds: [appointmentId] });
  }),

  subscribe('analytics-of-moves', 'scheduling', AppointmentRescheduledSchema, async (tx, event, { clinicId }) => {
    const { appointment, previousDate, previousStartsAt, previousDoctorId } = event;
    if (!appointment) return;
    const { appointmentId, appointmentDate, doctorId, timezone } = appointment;
    // Events of earlier releases have no previousDate.
    const before = previousDate || (previousStartsAt ? dateIn(timezone, timestampDate(previousStartsAt)) : appointmentDate);
    const days = [
      { date: appointmentDate, doctorId },
      { date: before, doctorId: previousDoctorId || doctorId },
    ];
    await updateAppointmentFigures(tx, clinicId, { days, appointmentIds: [appointmentId] });
  }),

  // After a merge of patients, or after one was undone.
  subscribe('analytics-of-merges', 'scheduling', AppointmentReassignedSchema, async (tx, { appointment, previousPatientId }, { clinicId }) => {
    if (!appointment) return;
    await updateAppointmentFigures(tx, clinicId, { days: [], patientIds: [appointment.patientId, previousPatientId], appointmentIds: [] });
  }),

  // Also sent when a payment was recorded or voided.
  subscribe('analytics-of-payment-plans', 'dental', PaymentPlanUpdatedSchema, async (tx, { paymentPlan }, { id: eventId, clinicId }) => {
    if (!paymentPlan) return;
    const request = { clinicId, id: paymentPlan.paymentPlanId };
    const { paymentPlans } = await app.plans.listPaymentPlanStates(request, callAs(serviceCaller('scheduling', eventId)));
    await updatePaymentPlanFigures(tx, clinicId, paymentPlans.flatMap(toPaymentPlanFacts));
  }),

  // Also sent when an option, a step or a quote of the plan changed.
  subscribe('analytics-of-treatment-plans', 'dental', TreatmentPlanUpdatedSchema, async (tx, { treatmentPlanId }, { id: eventId, clinicId }) => {
    const { treatmentPlans } = await app.plans.listTreatmentPlanStates({ clinicId, id: treatmentPlanId }, callAs(serviceCaller('scheduling', eventId)));
    await updateTreatmentFigures(tx, clinicId, treatmentPlans.flatMap(toTreatmentFacts));
  }),

  subscribe('analytics-of-tax-documents', 'billing', TaxDocumentChangedSchema, (tx, event, { clinicId }) => updateDocumentFigures(tx, clinicId, [event])),

  // Figures that were counted before the clinic's zone was known, or before it changed, may belong to other days. The zone is stored here too,
  // because these may arrive before the events of zone-changes.
  subscribe('analytics-of-clinics', 'identity', ClinicRegisteredSchema, async (tx, { timezone }, { clinicId }) => {
    await storeZone(tx, clinicId, timezone, FIRST_REVISION, app.clock.now());
    await updateFiguresZone(tx, clinicId);
  }),

  subscribe('analytics-of-zones', 'identity', ClinicUpdatedSchema, async (tx, { timezone, revision }, { clinicId }) => {
    await storeZone(tx, clinicId, timezone, revision, app.clock.now());
    await updateFiguresZone(tx, clinicId);
  }),
];
