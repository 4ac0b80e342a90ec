// A clinic with a history, for the tests of figures: the real scheduling service, a stand-in for dental that stores plans, and the
// events of both, which a test delivers in any order and any number of times.
import { create, type DescMessage, fromJson, type JsonValue, type Message, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Consumer } from '@clinic/lib/events/events.ts';
import { eventToken } from '@clinic/lib/events/outbox.ts';
import { localTransport } from '@clinic/lib/rpc/local.ts';
import { implement } from '@clinic/lib/rpc/pipeline.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { deliver } from '@clinic/lib/testing/deliver.ts';
import { ListTaxDocumentStatesResponseSchema } from '@clinic/proto/billing/v1/dte_document_pb.js';
import { PriceService } from '@clinic/proto/dental/v1/price_pb.js';
import { type PaymentPlanFactsSchema, StateService, type TreatmentPlanFactsSchema } from '@clinic/proto/dental/v1/states_pb.js';
import { PaymentPlanUpdatedSchema, TreatmentPlanUpdatedSchema } from '@clinic/proto/events/v1/dental_pb.js';
import { TaxDocumentChangedSchema } from '@clinic/proto/events/v1/dte_pb.js';
import { ClinicUpdatedSchema } from '@clinic/proto/events/v1/identity_pb.js';
import { ClinicProfileService } from '@clinic/proto/identity/v1/profile_pb.js';
import { AnalyticsService } from '@clinic/proto/scheduling/v1/analytics_pb.js';
import { PatientFamilyService } from '@clinic/proto/scheduling/v1/patient_family_pb.js';
import { createClient } from '@connectrpc/connect';
import pg from 'pg';
import { consumers as analyticsConsumers } from '../analytics/consumers.ts';
import { rebuildFigures } from '../analytics/rebuild.ts';
import { startScheduling } from './clinic.ts';

type Payment = { id: string; cents: bigint; paidAt: Date; voided: boolean };
export type PaymentPlan = {
  clinicId: string;
  id: string;
  patientId: string;
  treatmentId: string;
  status: string;
  total: bigint;
  openedAt: Date;
  instalments: { due: string; cents: bigint }[];
  payments: Payment[];
  revision: number;
};
export type Step = { procedure: string; status: string; cents: bigint; appointmentId: string };
export type Treatment = {
  clinicId: string;
  id: string;
  patientId: string;
  status: string;
  openedAt: Date;
  quoteAccepted: boolean;
  steps: Step[];
  revision: number;
};
type TaxDocument = { clinicId: string; documentId: string; type: string; status: string; issuedOn: string; totalCents: bigint; revision: number };
export type Delivery = { consumer: Consumer; event: unknown; clinicId: string };

const toPlanFacts = (plan: PaymentPlan): MessageInitShape<typeof PaymentPlanFactsSchema> => ({
  clinicId: plan.clinicId,
  paymentPlan: {
    paymentPlanId: plan.id,
    patientId: plan.patientId,
    treatmentPlanId: plan.treatmentId,
    status: plan.status,
    totalCents: plan.total,
    revision: plan.revision,
  },
  openedAt: timestampFromDate(plan.openedAt),
  instalments: plan.instalments.map(({ due, cents }) => ({ dueDate: due, amountCents: cents })),
  payments: plan.payments
    .filter(({ voided }) => !voided)
    .toSorted((a, b) => a.paidAt.getTime() - b.paidAt.getTime())
    .map(({ id, cents, paidAt }) => ({ paymentId: id, amountCents: cents, paymentMethod: 'cash', paidAt: timestampFromDate(paidAt) })),
});

export const costOf = ({ steps }: Treatment) => steps.filter(({ status }) => status !== 'skipped').reduce((sum, { cents }) => sum + cents, 0n);

const toTreatmentFacts = (plan: Treatment): MessageInitShape<typeof TreatmentPlanFactsSchema> => ({
  clinicId: plan.clinicId,
  treatmentPlan: { treatmentPlanId: plan.id, patientId: plan.patientId, status: plan.status, revision: plan.revision },
  openedAt: timestampFromDate(plan.openedAt),
  totalCents: costOf(plan),
  quoteAccepted: plan.quoteAccepted,
  steps: plan.steps.map(({ procedure, status, cents, appointmentId }) => ({ procedureCode: procedure, status, costCents: cents, appointmentId })),
});

type StatesRequest = { afterClinicId: string; afterId: string; limit: number };

export async function startAnalyticsClinic() {
  const plans = new Map<string, PaymentPlan>();
  const treatments = new Map<string, Treatment>();
  const app = { log: createLog('dental', 'silent'), constraints: {} };
  type Known = { clinicId: string; id: string };
  const page = <P extends Known>(known: Map<string, P>, { afterClinicId, afterId, limit }: StatesRequest) => {
    const all = [...known.values()].toSorted((a, b) => (a.clinicId + a.id < b.clinicId + b.id ? -1 : 1));
    return all.filter((plan) => plan.clinicId + plan.id > afterClinicId + afterId).slice(0, limit);
  };
  const find = <P extends Known>(known: Map<string, P>, wanted: Known[]) =>
    [...known.values()].filter((plan) => wanted.some(({ clinicId, id }) => plan.clinicId === clinicId && plan.id === id));
  const dental = localTransport([
    implement(app, StateService, {
      listPaymentPlanStates: async (_, request) => ({ paymentPlans: page(plans, request).map(toPlanFacts) }),
      findPaymentPlanStates: async (_, request) => ({ paymentPlans: find(plans, request.plans).map(toPlanFacts) }),
      listTreatmentPlanStates: async (_, request) => ({ treatmentPlans: page(treatments, request).map(toTreatmentFacts) }),
      findTreatmentPlanStates: async (_, request) => ({ treatmentPlans: find(treatments, request.plans).map(toTreatmentFacts) }),
    }),
    implement(app, PriceService, {
      listPrices: async () => ({ prices: [{ code: 'crown', name: 'Corona' }] }),
      replacePrices: async () => ({}),
    }),
  ]);
  const identity = localTransport([
    implement(app, ClinicProfileService, { getClinicProfile: async () => ({ name: 'Clínica Dental Sonrisa', currency: 'USD' }) }),
  ]);
  const s = await startScheduling({ dental, identity });
  const owner = new pg.Client({ connectionString: s.service.database.ownerUrl });
  await owner.connect();
  const consumerApp = { plans: createClient(StateService, dental), clock: s.clock };
  const consumers = analyticsConsumers(consumerApp);
  const own = consumers.filter(({ producer }) => producer === 'scheduling');
  const consumerOf = (schema: DescMessage) => consumers.find(({ event }) => event === schema) as Consumer;

  /** The events of scheduling about a clinic so far. */
  async function ownEvents(clinicId: string): Promise<Delivery[]> {
    const { rows } = await owner.query('select subject, payload from scheduling.outbox where clinic_id = $1 order by id', [clinicId]);
    return rows.flatMap(({ subject, payload }: { subject: string; payload: JsonValue }) =>
      own
        .filter(({ event }) => subject.endsWith(`.${eventToken(event as DescMessage)}`))
        .map((consumer) => ({ consumer, clinicId, event: fromJson(consumer.event, payload) })),
    );
  }
  const planEvent = ({ clinicId, id }: PaymentPlan): Delivery => ({
    consumer: consumerOf(PaymentPlanUpdatedSchema),
    clinicId,
    event: create(PaymentPlanUpdatedSchema, { paymentPlan: { paymentPlanId: id } }),
  });
  const treatmentEvent = ({ clinicId, id }: Treatment): Delivery => ({
    consumer: consumerOf(TreatmentPlanUpdatedSchema),
    clinicId,
    event: create(TreatmentPlanUpdatedSchema, { treatmentPlanId: id }),
  });
  const zoneEvent = (clinicId: string, timezone: string, revision: number): Delivery => ({
    consumer: consumerOf(ClinicUpdatedSchema),
    clinicId,
    event: create(ClinicUpdatedSchema, { timezone, revision }),
  });
  const documents = new Map<string, TaxDocument>();
  const documentEvent = (one: TaxDocument): Delivery => {
    documents.set(one.documentId, one);
    const { clinicId, ...event } = one;
    return { consumer: consumerOf(TaxDocumentChangedSchema), clinicId, event: create(TaxDocumentChangedSchema, event) };
  };
  /** Deletes all figures and counts them again. */
  const rebuild = () =>
    rebuildFigures(
      s.service.db,
      {
        dental: consumerApp.plans,
        billing: {
          listTaxDocumentStates: async ({ afterId = '' }) =>
            create(ListTaxDocumentStatesResponseSchema, {
              documents: afterId ? [] : [...documents.values()].map(({ clinicId: _, ...document }) => document),
              clinicIds: afterId ? [] : [...documents.values()].map(({ clinicId }) => clinicId),
            }),
        },
      },
      () => {},
    );
  const deliverTo = ({ consumer, event, clinicId }: Delivery) => deliver(s.service.db, consumer, clinicId, event as Message);

  return {
    ...s,
    owner,
    plans,
    treatments,
    analytics: s.service.client(AnalyticsService),
    family: s.service.client(PatientFamilyService),
    ownEvents,
    planEvent,
    treatmentEvent,
    zoneEvent,
    documentEvent,
    rebuild,
    deliver: deliverTo,
    async stop() {
      await owner.end();
      await s.service.stop();
    },
  };
}

export type AnalyticsClinic = Awaited<ReturnType<typeof startAnalyticsClinic>>;
