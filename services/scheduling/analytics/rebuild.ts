// Makes the figures of all clinics anew from the owners of the data. Events may go on meanwhile: what is counted is what is
// true by then, and of what others told the higher revision wins, whichever comes first.

import { asSystem, type Db } from '@clinic/lib/db/db.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { TaxDocumentService } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { StateService as DentalStateService } from '@clinic/proto/dental/v1/states_pb.js';
import type { Client } from '@connectrpc/connect';
import { findZone } from '../clinics/clinics.sql.ts';
import { countDocuments } from './count-documents.ts';
import { countPaymentPlans, countTreatments } from './update-figures.ts';
import { countVisits } from './count-visits.ts';
import { readPaymentPlan, readTreatment } from './plan-facts.ts';
import { emptyFigures, listClinicsWithDoctors, listFiguredClinics, lockFigures, setFiguresZone } from './sql/figures.sql.ts';
import { listDoctorDays, listSeenPatients } from './sql/appointment-sums.sql.ts';

/** Who owns the data: clients of the services, or what they would answer. */
export type Owners = {
  dental: Pick<Client<typeof DentalStateService>, 'listPaymentPlanStates' | 'listTreatmentPlanStates'>;
  billing: Pick<Client<typeof TaxDocumentService>, 'listTaxDocumentStates'>;
};
type Say = (line: string) => void;

const PAGE = 500;
// Small enough that no statement comes near the database's limit of time.
const CHUNK = 5_000;
const options = () => callAs(serviceCaller('scheduling', 'rebuild'));

/** Says after each page how far it is. Running it again does no harm. */
export async function rebuildFigures(db: Db, owners: Owners, say: Say): Promise<void> {
  // As the system throughout, since figures of all clinics are made.
  for (const clinicId of await asSystem(db, listFiguredClinics)) {
    await asSystem(db, async (tx) => {
      await lockFigures(tx, clinicId);
      await emptyFigures(tx, clinicId);
      await setFiguresZone(tx, clinicId, await findZone(tx, clinicId));
    });
  }
  await recountVisits(db, say);
  // Treatment first, so that a payment finds what it was for.
  await pages('treatment plans', say, async ({ afterClinicId, afterId }) => {
    const { treatmentPlans } = await owners.dental.listTreatmentPlanStates({ afterClinicId, afterId, limit: PAGE }, options());
    await byClinic(db, treatmentPlans, (tx, clinicId, plans) => countTreatments(tx, clinicId, plans.flatMap(readTreatment)));
    const last = treatmentPlans.at(-1);
    return { size: treatmentPlans.length, clinicId: last?.clinicId, id: last?.treatmentPlan?.treatmentPlanId };
  });
  await pages('payment plans', say, async ({ afterClinicId, afterId }) => {
    const { paymentPlans } = await owners.dental.listPaymentPlanStates({ afterClinicId, afterId, limit: PAGE }, options());
    await byClinic(db, paymentPlans, (tx, clinicId, plans) => countPaymentPlans(tx, clinicId, plans.flatMap(readPaymentPlan)));
    const last = paymentPlans.at(-1);
    return { size: paymentPlans.length, clinicId: last?.clinicId, id: last?.paymentPlan?.paymentPlanId };
  });
  await pages('tax documents', say, async ({ afterClinicId, afterId }) => {
    const { documents, clinicIds } = await owners.billing.listTaxDocumentStates({ afterClinicId, afterId, limit: PAGE }, options());
    const some = documents.map((document, index) => ({ clinicId: clinicIds[index] ?? '', document }));
    await byClinic(db, some, (tx, clinicId, of) =>
      countDocuments(
        tx,
        clinicId,
        of.map(({ document }) => document),
      ),
    );
    return { size: documents.length, clinicId: clinicIds.at(-1), id: documents.at(-1)?.documentId };
  });
}

async function recountVisits(db: Db, say: Say): Promise<void> {
  let done = 0;
  for (const clinicId of await asSystem(db, listClinicsWithDoctors)) {
    const [days, patientIds] = await asSystem(db, (tx) => Promise.all([listDoctorDays(tx, clinicId), listSeenPatients(tx, clinicId)]));
    for (const some of chunks(days)) await asSystem(db, (tx) => countVisits(tx, clinicId, { days: some, appointmentIds: [] }));
    for (const some of chunks(patientIds)) await asSystem(db, (tx) => countVisits(tx, clinicId, { days: [], patientIds: some, appointmentIds: [] }));
    done += days.length;
    if (days.length > 0) say(`doctors' days: ${done}`);
  }
}

const chunks = <T>(all: T[]) => Array.from({ length: Math.ceil(all.length / CHUNK) }, (_, index) => all.slice(index * CHUNK, (index + 1) * CHUNK));

/** One transaction a clinic. */
async function byClinic<R extends { clinicId: string }>(
  db: Db,
  some: R[],
  count: (tx: Parameters<Parameters<typeof asSystem>[1]>[0], clinicId: string, some: R[]) => Promise<void>,
) {
  for (const [clinicId, rows] of Map.groupBy(some, (one) => one.clinicId)) await asSystem(db, (tx) => count(tx, clinicId, rows));
}

type After = { afterClinicId: string; afterId: string };

async function pages(what: string, say: Say, next: (after: After) => Promise<{ size: number; clinicId: string | undefined; id: string | undefined }>) {
  let done = 0;
  for (let after: After = { afterClinicId: '', afterId: '' }, size = PAGE; size === PAGE; ) {
    const page = await next(after);
    size = page.size;
    after = { afterClinicId: page.clinicId ?? '', afterId: page.id ?? '' };
    done += size;
    say(`${what}: ${done}`);
  }
}
