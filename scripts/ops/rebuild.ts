// Makes anew what can be made of something else: projections from the owners of the data, the stream from the outboxes.
import { create } from '@bufbuild/protobuf';
import type { Db } from '@clinic/lib/db/db.ts';
import { ListTaxDocumentStatesRequestSchema, ListTaxDocumentStatesResponseSchema } from '@clinic/proto/billing/v1/dte_document_pb.js';
import { ListOrderStatesRequestSchema, ListOrderStatesResponseSchema } from '@clinic/proto/billing/v1/states_pb.js';
import {
  ListPaymentPlanStatesRequestSchema,
  ListPaymentPlanStatesResponseSchema,
  ListTreatmentPlanStatesRequestSchema,
  ListTreatmentPlanStatesResponseSchema,
} from '@clinic/proto/dental/v1/states_pb.js';
import { ListClinicStatesRequestSchema, ListClinicStatesResponseSchema } from '@clinic/proto/identity/v1/states_pb.js';
import { ListAppointmentStatesRequestSchema, ListAppointmentStatesResponseSchema } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { listOrderStates } from '../../services/billing/subscriptions/list-order-states.ts';
import { listTaxDocumentStates } from '../../services/billing/tax-documents/rpcs/list-tax-document-states.ts';
import { listPaymentPlanStates } from '../../services/dental/payment-plans/list-payment-plan-states.ts';
import { rebuildRecallVisits } from '../../services/dental/recall/rpcs/rebuild-recall.ts';
import { listTreatmentPlanStates } from '../../services/dental/treatment-plans/rpcs/list-treatment-plan-states.ts';
import { listClinicStates } from '../../services/identity/clinics/list-clinic-states.ts';
import { type Owners, rebuildProjections } from '../../services/platform/statistics/rebuild.ts';
import { type Owners as FigureOwners, rebuildFigures } from '../../services/scheduling/analytics/rebuild.ts';
import { listAppointmentStates } from '../../services/scheduling/appointments/list-appointment-states.ts';
import { type Command, type Ops, OpsFault } from './command.ts';
import { rebuildStream } from './rebuild-stream.ts';
import { waitForJob } from './wait-for-job.ts';

const WHAT: Record<string, (ops: Ops, dryRun: boolean) => Promise<void>> = {
  async platform(ops, dryRun) {
    if (dryRun) return ops.say('would empty and fill: clinics, appointments and orders of the platform');
    await rebuildProjections(ops.open('platform'), owners(ops), ops.say);
  },
  async scheduling(ops, dryRun) {
    if (dryRun) return ops.say('would empty and fill: the figures of visits, treatment, payments and tax documents of all clinics');
    await rebuildFigures(ops.open('scheduling'), figureOwners(ops), ops.say);
  },
  async recall(ops, dryRun) {
    if (dryRun) return ops.say('would read the patients and visits of all clinics from scheduling again');
    const db = ops.open('dental');
    await rebuildRecallVisits({ db });
    await waitForJob(db, 'rebuild-recall', ops.say);
  },
  streams: rebuildStream,
};

export const rebuild: Command = {
  name: 'rebuild',
  summary: 'makes the projections or the event stream anew, while everything serves',
  usage: `<platform | scheduling | recall | streams> [--dry-run]

  platform           the figures of the platform: clinics from identity, appointments from scheduling, orders from billing.
                     They are short of what is still to come until it is done
  scheduling         the dashboards of the clinics: visits from scheduling itself, treatment and payments from dental, tax
                     documents from billing. They too are short until it is done
  recall             who came when and who may be written to, from scheduling. The dental service does it in the background
  streams            deletes the event stream; the services make it again and publish what their outboxes keep, which is
                     the last 30 days. Nothing happens twice: every consumer knows what it has handled

It may run while the product serves, recall and streams only then. Running it again does no harm.

  --dry-run          only says what would be done
  NATS_URL           where the stream is; without it, the embedded one of DATA_DIR`,
  options: { 'dry-run': { type: 'boolean' } },
  async run(ops, { values, words: [what = ''] }) {
    const work = WHAT[what];
    if (!work) throw new OpsFault(`Say what to rebuild: ${Object.keys(WHAT).join(', ')}.`);
    const dryRun = values['dry-run'] === true;
    const line = { action: what === 'streams' ? 'stream.rebuilt' : 'projection.rebuilt', entityId: what } as const;
    if (!dryRun) await ops.record({ ...line, changes: { state: 'begun' } });
    await work(ops, dryRun);
    if (dryRun) return 0;
    await ops.record({ ...line, changes: { state: 'done' } });
    ops.say('rebuilt');
    return 0;
  },
};

/** What the owners of the data would answer, read where they keep it. */
function owners(ops: Ops): Owners {
  const of = (schema: string): { db: Db } => ({ db: ops.open(schema) });
  return {
    identity: {
      listClinicStates: async (asked) =>
        create(ListClinicStatesResponseSchema, await listClinicStates(of('identity'), create(ListClinicStatesRequestSchema, asked))),
    },
    billing: {
      listOrderStates: async (asked) =>
        create(ListOrderStatesResponseSchema, await listOrderStates(of('billing'), create(ListOrderStatesRequestSchema, asked))),
    },
    scheduling: {
      listAppointmentStates: async (asked) =>
        create(ListAppointmentStatesResponseSchema, await listAppointmentStates(of('scheduling'), create(ListAppointmentStatesRequestSchema, asked))),
    },
  };
}

function figureOwners(ops: Ops): FigureOwners {
  const of = (schema: string): { db: Db } => ({ db: ops.open(schema) });
  return {
    dental: {
      listPaymentPlanStates: async (asked) =>
        create(ListPaymentPlanStatesResponseSchema, await listPaymentPlanStates(of('dental'), create(ListPaymentPlanStatesRequestSchema, asked))),
      listTreatmentPlanStates: async (asked) =>
        create(ListTreatmentPlanStatesResponseSchema, await listTreatmentPlanStates(of('dental'), create(ListTreatmentPlanStatesRequestSchema, asked))),
    },
    billing: {
      listTaxDocumentStates: async (asked) =>
        create(ListTaxDocumentStatesResponseSchema, await listTaxDocumentStates(of('billing'), create(ListTaxDocumentStatesRequestSchema, asked))),
    },
  };
}
