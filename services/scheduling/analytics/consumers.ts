// Events that change the figures. An event names the changed records, not the difference: their figures are counted again.
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { type Delivered, subscribe, subscribeAll } from '@clinic/lib/events/events.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { PaymentPlanFacts, TreatmentPlanFacts } from '@clinic/proto/dental/v1/states_pb.js';
import { PaymentPlanUpdatedSchema, TreatmentPlanUpdatedSchema } from '@clinic/proto/events/v1/dental_pb.js';
import { TaxDocumentChangedSchema } from '@clinic/proto/events/v1/dte_pb.js';
import { ClinicRegisteredSchema, ClinicUpdatedSchema } from '@clinic/proto/events/v1/identity_pb.js';
import {
  AppointmentBookedSchema,
  AppointmentReassignedSchema,
  AppointmentRescheduledSchema,
  type AppointmentState,
  AppointmentStatusChangedSchema,
  AppointmentsUpdatedSchema,
} from '@clinic/proto/events/v1/scheduling_pb.js';
import type { CallOptions } from '@connectrpc/connect';
import type { App } from '../app.ts';
import { FIRST_REVISION } from '../clinics/clinics.sql.ts';
import { storeZone } from '../zone-changes/change-zone.ts';
import { toPaymentPlanFacts, toTreatmentFacts } from './plan-facts.ts';
import { updateAppointmentFigures, updateDocumentFigures, updateFiguresZone, updatePaymentPlanFigures, updateTreatmentFigures } from './update-figures.ts';

const dayOf = ({ clinicId, appointmentDate, doctorId }: AppointmentState & { clinicId: string }) => ({ clinicId, date: appointmentDate, doctorId });

/** The appointments of some events, each with its clinic. */
function appointmentsOf<E extends { appointment?: AppointmentState | undefined }>(events: Delivered<E>[]) {
  return events.flatMap(({ event, envelope: { clinicId } }) => (event.appointment ? [{ ...event.appointment, clinicId, event }] : []));
}

/** Reads the plans of some events from dental in one call, each plan once, in its current state. */
const readPlans =
  <E, R>(idOf: (event: E) => string | undefined, find: (request: { plans: { clinicId: string; id: string }[] }, options: CallOptions) => Promise<R[]>) =>
  async (events: Delivered<E>[]): Promise<R[]> => {
    const named = events.map(({ event, envelope }) => ({ clinicId: envelope.clinicId, id: idOf(event) ?? '', eventId: envelope.id })).filter(({ id }) => id);
    const [first] = named;
    const plans = [...new Map(named.map(({ clinicId, id }) => [`${clinicId} ${id}`, { clinicId, id }])).values()];
    return first ? find({ plans }, callAs(serviceCaller('scheduling', first.eventId))) : [];
  };

/** For frequent events, which may be handled twice, since everything is counted again from the current state. */
const isRepeatable = () => true;

export const consumers = (app: Pick<App, 'plans' | 'clock'>) => [
  // A treatment plan names only appointments that are stored, so its own event, whether it arrives before or after this one, counts its money.
  subscribeAll(
    'analytics-of-bookings',
    'scheduling',
    AppointmentBookedSchema,
    (tx, events) => updateAppointmentFigures(tx, { days: appointmentsOf(events).map(dayOf), patients: [], appointments: [] }),
    { isRepeatable },
  ),

  subscribeAll(
    'analytics-of-statuses',
    'scheduling',
    AppointmentStatusChangedSchema,
    async (tx, events) => {
      const appointments = appointmentsOf(events);
      const patients = appointments.filter(({ status, event }) => [status, event.previousStatus].includes('completed'));
      await updateAppointmentFigures(tx, { days: appointments.map(dayOf), patients, appointments });
    },
    { isRepeatable },
  ),

  subscribe('analytics-of-moves', 'scheduling', AppointmentRescheduledSchema, async (tx, event, { clinicId }) => {
    const { appointment, previousDate, previousStartsAt, previousDoctorId } = event;
    if (!appointment) return;
    const { appointmentId, appointmentDate, doctorId, timezone } = appointment;
    // Events of earlier releases have no previousDate.
    const before = previousDate || (previousStartsAt ? dateIn(timezone, timestampDate(previousStartsAt)) : appointmentDate);
    const days = [
      { clinicId, date: appointmentDate, doctorId },
      { clinicId, date: before, doctorId: previousDoctorId || doctorId },
    ];
    await updateAppointmentFigures(tx, { days, patients: [], appointments: [{ clinicId, appointmentId }] });
  }),

  // Another type may need another chair. Imported appointments may be completed ones.
  subscribeAll('analytics-of-updates', 'scheduling', AppointmentsUpdatedSchema, async (tx, events) => {
    const appointments = events.flatMap(({ event, envelope: { clinicId } }) => event.appointments.map((appointment) => ({ ...appointment, clinicId })));
    await updateAppointmentFigures(tx, {
      days: appointments.map(dayOf),
      patients: appointments.filter(({ status }) => status === 'completed'),
      appointments: [],
    });
  }),

  // After a merge of patients or its undoing, and when an online request gets its patient.
  subscribe('analytics-of-merges', 'scheduling', AppointmentReassignedSchema, async (tx, { appointment, previousPatientId }, { clinicId }) => {
    if (!appointment) return;
    const patients = [appointment.patientId, previousPatientId].map((patientId) => ({ clinicId, patientId }));
    await updateAppointmentFigures(tx, { days: [], patients, appointments: [] });
  }),

  // Also sent when a payment was recorded or voided.
  subscribeAll(
    'analytics-of-payment-plans',
    'dental',
    PaymentPlanUpdatedSchema,
    (tx, _events, plans: PaymentPlanFacts[]) => updatePaymentPlanFigures(tx, plans.flatMap(toPaymentPlanFacts)),
    {
      isRepeatable,
      read: readPlans(
        ({ paymentPlan }) => paymentPlan?.paymentPlanId,
        async (plans, options) => (await app.plans.findPaymentPlanStates(plans, options)).paymentPlans,
      ),
    },
  ),

  // Also sent when an option, a step or a quote of the plan changed.
  subscribeAll(
    'analytics-of-treatment-plans',
    'dental',
    TreatmentPlanUpdatedSchema,
    (tx, _events, plans: TreatmentPlanFacts[]) => updateTreatmentFigures(tx, plans.flatMap(toTreatmentFacts)),
    {
      read: readPlans(
        ({ treatmentPlanId }) => treatmentPlanId,
        async (plans, options) => (await app.plans.findTreatmentPlanStates(plans, options)).treatmentPlans,
      ),
    },
  ),

  subscribe('analytics-of-tax-documents', 'billing', TaxDocumentChangedSchema, (tx, event, { clinicId }) => updateDocumentFigures(tx, clinicId, [event])),

  // Figures that were counted before the clinic's zone was known, or before it changed, may belong to other days. The zone is stored here too,
  // because these may arrive before the events of zone-changes.
  subscribe('analytics-of-clinics', 'identity', ClinicRegisteredSchema, async (tx, { timezone }, { clinicId }) => {
    await storeZone(tx, clinicId, timezone, FIRST_REVISION, app.clock.now());
    await updateFiguresZone(tx, clinicId);
  }),

  subscribe('analytics-of-zones', 'identity', ClinicUpdatedSchema, async (tx, clinic, { clinicId }) => {
    await storeZone(tx, clinicId, clinic.timezone, clinic.revision, app.clock.now(), clinic);
    await updateFiguresZone(tx, clinicId);
  }),
];
