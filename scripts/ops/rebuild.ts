// `ops rebuild`: rebuilds projections from the services that own the data, and the event stream from the outboxes.
import { create, type DescMessage, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf';
import type { Db } from '@clinic/lib/db/db.ts';
import { TaxDocumentService } from '@clinic/proto/billing/v1/dte_document_pb.js';
import { StateService as BillingStateService } from '@clinic/proto/billing/v1/states_pb.js';
import { StateService as DentalStateService } from '@clinic/proto/dental/v1/states_pb.js';
import { StateService as IdentityStateService } from '@clinic/proto/identity/v1/states_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { listOrderStates } from '../../services/billing/subscriptions/list-order-states.ts';
import { listTaxDocumentStates } from '../../services/billing/tax-documents/rpcs/list-tax-document-states.ts';
import { listPaymentPlanStates } from '../../services/dental/payment-plans/list-payment-plan-states.ts';
import { rebuildRecallVisits } from '../../services/dental/recall/rpcs/rebuild-recall.ts';
import { listTreatmentPlanStates } from '../../services/dental/treatment-plans/rpcs/list-treatment-plan-states.ts';
import { listClinicStates } from '../../services/identity/clinics/list-clinic-states.ts';
import { type Owners, rebuildProjections } from '../../services/platform/statistics/rebuild.ts';
import { type Owners as FigureOwners, rebuildFigures } from '../../services/scheduling/analytics/rebuild.ts';
import { listAppointmentStates } from '../../services/scheduling/appointments/lookup.ts';
import { restoreLocalTimes } from '../../services/scheduling/zone-changes/change-zone.ts';
import { type Command, type Ops, OpsFault } from './command.ts';
import { rebuildStream } from './rebuild-stream.ts';
import { waitForJob } from './wait-for-job.ts';

const WHAT: Record<string, (ops: Ops, dryRun: boolean) => Promise<void>> = {
  async platform(ops, dryRun) {
    if (dryRun) return ops.print('would rebuild: clinics, appointments and orders of the platform');
    await rebuildProjections(ops.open('platform'), owners(ops), ops.print);
  },
  async scheduling(ops, dryRun) {
    if (dryRun) {
      ops.print('would correct the instants of upcoming appointments that differ from their local times in the time zones of their clinics');
      return ops.print('would rebuild: the figures of appointments, treatment, payments and tax documents of all clinics');
    }
    const db = ops.open('scheduling');
    await restoreLocalTimes(db, new Date(), ops.print);
    await rebuildFigures(db, owners(ops), ops.print);
  },
  async recall(ops, dryRun) {
    if (dryRun) return ops.print('would read the patients and appointments of all clinics from scheduling again');
    const db = ops.open('dental');
    await rebuildRecallVisits({ db });
    await waitForJob(db, 'rebuild-recall', ops.print);
  },
  streams: rebuildStream,
};

export const rebuild: Command = {
  usage: `<platform | scheduling | recall | streams> [--dry-run]

  platform           the figures of the platform: clinics from identity, appointments from scheduling, orders from billing.
                     They are incomplete until the command has finished
  scheduling         the dashboards of the clinics: appointments from scheduling itself, treatment and payments from dental, tax
                     documents from billing. They are incomplete until the command has finished. It first corrects upcoming appointments
                     whose instants differ from their local times, which earlier releases caused when a clinic's time zone changed
  recall             the patients and appointments that recall needs, from scheduling. The dental service does this in the background
  streams            deletes the event stream; the services create it again and publish the events of their outboxes, which are
                     those of the last 30 days. Consumers skip events that they have already handled

The command can be run while the product is running, and again at any time. For recall and streams the product must be running.

  --dry-run          only prints what would be done
  NATS_URL           URL of NATS (default: the embedded one in DATA_DIR)`,
  options: { 'dry-run': { type: 'boolean' } },
  words: 1,
  async run(ops, { values, words: [what = ''] }) {
    const work = Object.hasOwn(WHAT, what) ? WHAT[what] : undefined;
    if (!work) throw new OpsFault(`Name what to rebuild: ${Object.keys(WHAT).join(', ')}.`);
    const dryRun = values['dry-run'] === true;
    const line = { action: what === 'streams' ? 'stream.rebuilt' : 'projection.rebuilt', entityId: what } as const;
    if (!dryRun) await ops.record({ ...line, changes: { state: 'begun' } });
    await work(ops, dryRun);
    if (dryRun) return 0;
    await ops.record({ ...line, changes: { state: 'done' } });
    ops.print('rebuilt');
    return 0;
  },
};

/** Clients of the services that own the data. Their handlers run in this process. */
function owners(ops: Ops): Owners & FigureOwners {
  const own = <I extends DescMessage, O extends DescMessage>(
    schema: string,
    { input, output }: { input: I; output: O },
    handler: (app: { db: Db }, request: MessageShape<I>) => Promise<MessageInitShape<O>>,
  ) => {
    return async (request: MessageInitShape<I>) => create(output, await handler({ db: ops.open(schema) }, create(input, request)));
  };
  return {
    identity: { listClinicStates: own('identity', IdentityStateService.method.listClinicStates, listClinicStates) },
    billing: {
      listOrderStates: own('billing', BillingStateService.method.listOrderStates, listOrderStates),
      listTaxDocumentStates: own('billing', TaxDocumentService.method.listTaxDocumentStates, listTaxDocumentStates),
    },
    scheduling: { listAppointmentStates: own('scheduling', LookupService.method.listAppointmentStates, listAppointmentStates) },
    dental: {
      listPaymentPlanStates: own('dental', DentalStateService.method.listPaymentPlanStates, listPaymentPlanStates),
      listTreatmentPlanStates: own('dental', DentalStateService.method.listTreatmentPlanStates, listTreatmentPlanStates),
    },
  };
}
