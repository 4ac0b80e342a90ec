// Rebuilds the figures of all clinics from the services that own the data. Events may be handled meanwhile, since everything is
// counted from the current state, and the higher revision of a record of another service wins.

import { asSystem, type Db } from '@clinic/lib/db/db.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { TaxDocumentService } from '@clinic/proto/billing/v1/dte_document_pb.js';
import type { StateService as DentalStateService } from '@clinic/proto/dental/v1/states_pb.js';
import type { Client } from '@connectrpc/connect';
import { findZoneIn } from '../clinics/clinics.sql.ts';
import { toPaymentPlanFacts, toTreatmentFacts } from './plan-facts.ts';
import { listDoctorDays, listSeenPatients } from './sql/appointment-sums.sql.ts';
import { deleteFigures, listClinicsWithDoctors, listFiguredClinics, lockFigures, setFiguresZone } from './sql/figures.sql.ts';
import { updateAppointmentFigures, updateDocumentFigures, updatePaymentPlanFigures, updateTreatmentFigures } from './update-figures.ts';

/** Clients of the services that own the data, or functions that stand in for them. */
export type Owners = {
  dental: Pick<Client<typeof DentalStateService>, 'listPaymentPlanStates' | 'listTreatmentPlanStates'>;
  billing: Pick<Client<typeof TaxDocumentService>, 'listTaxDocumentStates'>;
};
type Report = (line: string) => void;

const PAGE = 500;
// Small enough that no statement comes near statement_timeout.
const CHUNK = 5_000;
const options = () => callAs(serviceCaller('scheduling', 'rebuild'));

/** Reports its progress after each page. Idempotent. */
export async function rebuildFigures(db: Db, owners: Owners, report: Report): Promise<void> {
  // As the system throughout: figures of all clinics.
  for (const clinicId of await asSystem(db, listFiguredClinics)) {
    await asSystem(db, async (tx) => {
      await lockFigures(tx, clinicId);
      await deleteFigures(tx, clinicId);
      await setFiguresZone(tx, clinicId, await findZoneIn(tx, clinicId));
    });
  }
  await recountAppointments(db, report);
  // Treatment plans first, so that each payment is split among the procedures of its treatment once.
  await pages('treatment plans', report, async ({ afterClinicId, afterId }) => {
    const { treatmentPlans } = await owners.dental.listTreatmentPlanStates({ afterClinicId, afterId, limit: PAGE }, options());
    await asSystem(db, (tx) => updateTreatmentFigures(tx, treatmentPlans.flatMap(toTreatmentFacts)));
    const last = treatmentPlans.at(-1);
    return { size: treatmentPlans.length, clinicId: last?.clinicId, id: last?.treatmentPlan?.treatmentPlanId };
  });
  await pages('payment plans', report, async ({ afterClinicId, afterId }) => {
    const { paymentPlans } = await owners.dental.listPaymentPlanStates({ afterClinicId, afterId, limit: PAGE }, options());
    await asSystem(db, (tx) => updatePaymentPlanFigures(tx, paymentPlans.flatMap(toPaymentPlanFacts)));
    const last = paymentPlans.at(-1);
    return { size: paymentPlans.length, clinicId: last?.clinicId, id: last?.paymentPlan?.paymentPlanId };
  });
  await pages('tax documents', report, async ({ afterClinicId, afterId }) => {
    const { documents, clinicIds } = await owners.billing.listTaxDocumentStates({ afterClinicId, afterId, limit: PAGE }, options());
    // One transaction per clinic.
    for (const [clinicId, some] of Map.groupBy(documents, (_, index) => clinicIds[index] ?? ''))
      await asSystem(db, (tx) => updateDocumentFigures(tx, clinicId, some));
    return { size: documents.length, clinicId: clinicIds.at(-1), id: documents.at(-1)?.documentId };
  });
}

async function recountAppointments(db: Db, report: Report): Promise<void> {
  let done = 0;
  for (const clinicId of await asSystem(db, listClinicsWithDoctors)) {
    const [days, patients] = await asSystem(db, (tx) => Promise.all([listDoctorDays(tx, clinicId), listSeenPatients(tx, clinicId)]));
    for (const some of chunks(days)) await asSystem(db, (tx) => updateAppointmentFigures(tx, { days: some, patients: [], appointments: [] }));
    for (const some of chunks(patients)) await asSystem(db, (tx) => updateAppointmentFigures(tx, { days: [], patients: some, appointments: [] }));
    done += days.length;
    if (days.length > 0) report(`doctors' days: ${done}`);
  }
}

const chunks = <T>(all: T[]) => Array.from({ length: Math.ceil(all.length / CHUNK) }, (_, index) => all.slice(index * CHUNK, (index + 1) * CHUNK));

type After = { afterClinicId: string; afterId: string };

async function pages(what: string, report: Report, next: (after: After) => Promise<{ size: number; clinicId: string | undefined; id: string | undefined }>) {
  let done = 0;
  for (let after: After = { afterClinicId: '', afterId: '' }, size = PAGE; size === PAGE; ) {
    const page = await next(after);
    size = page.size;
    after = { afterClinicId: page.clinicId ?? '', afterId: page.id ?? '' };
    done += size;
    report(`${what}: ${done}`);
  }
}
