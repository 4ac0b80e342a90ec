// Rebuilds the projections from the services that own the data. Events may arrive during a rebuild: the state with the higher revision is stored.
import { asSystem, type Db, execute, sql } from '@clinic/lib/db/db.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { StateService as BillingStateService } from '@clinic/proto/billing/v1/states_pb.js';
import type { StateService as IdentityStateService } from '@clinic/proto/identity/v1/states_pb.js';
import type { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import type { Client } from '@connectrpc/connect';
import { upsertAppointmentsSeen } from './appointments-seen.sql.ts';
import { upsertClinicSeen } from './clinics-seen.sql.ts';
import { upsertOrderSeen } from './orders-seen.sql.ts';

/** Clients of the services that own the data, or functions that return the same responses. */
export type Owners = {
  identity: Pick<Client<typeof IdentityStateService>, 'listClinicStates'>;
  billing: Pick<Client<typeof BillingStateService>, 'listOrderStates'>;
  scheduling: Pick<Client<typeof LookupService>, 'listAppointmentStates'>;
};
type Report = (line: string) => void;

const PAGE = 1_000;
const options = () => callAs(serviceCaller('platform', 'rebuild'));
// The figures are incomplete during a rebuild. A single long transaction would avoid that, but would block the handling of events.
const EMPTY = { clinics: sql('delete from clinics_seen'), appointments: sql('delete from appointments_seen'), orders: sql('delete from orders_seen') };

/** Reports the progress after each page. Safe to repeat. */
export async function rebuildProjections(db: Db, { identity, scheduling, billing }: Owners, report: Report): Promise<void> {
  await rebuild(db, 'clinics', report, '', async (afterClinicId) => {
    const { clinics } = await identity.listClinicStates({ afterClinicId, limit: PAGE }, options());
    await asSystem(db, async (tx) => {
      for (const clinic of clinics) await upsertClinicSeen(tx, clinic.clinicId, clinic);
    });
    return { size: clinics.length, last: clinics.at(-1)?.clinicId ?? '' };
  });
  await rebuild(db, 'appointments', report, { afterClinicId: '', afterId: '' }, async (after) => {
    const { appointments, clinicIds } = await scheduling.listAppointmentStates({ ...after, limit: PAGE }, options());
    await asSystem(db, (tx) => upsertAppointmentsSeen(tx, clinicIds, appointments));
    return { size: appointments.length, last: { afterClinicId: clinicIds.at(-1) ?? '', afterId: appointments.at(-1)?.appointmentId ?? '' } };
  });
  await rebuild(db, 'orders', report, '', async (afterOrderId) => {
    const { orders, clinicIds } = await billing.listOrderStates({ afterOrderId, limit: PAGE }, options());
    await asSystem(db, async (tx) => {
      for (const [index, order] of orders.entries()) await upsertOrderSeen(tx, clinicIds[index] ?? '', order);
    });
    return { size: orders.length, last: orders.at(-1)?.orderId ?? '' };
  });
}

type ReadPage<After> = (after: After) => Promise<{ size: number; last: After }>;

async function rebuild<After>(db: Db, what: keyof typeof EMPTY, report: Report, first: After, next: ReadPage<After>): Promise<void> {
  await asSystem(db, (tx) => execute(tx, EMPTY[what]));
  let done = 0;
  for (let after = first, size = PAGE; size === PAGE; ) {
    const page = await next(after);
    ({ size, last: after } = page);
    done += size;
    report(`${what}: ${done}`);
  }
}
