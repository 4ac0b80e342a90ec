// Publishes each record that a merge, or undoing one, has moved.
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { AppointmentReassignedSchema, WaitlistEntryUpdatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import { toState as toAppointmentState } from '../appointments/appointments.sql.ts';
import { toState as toEntryState } from '../waitlist/waitlist-entries.sql.ts';
import type { moveBack } from './patient-merges.sql.ts';

type Moved = Awaited<ReturnType<typeof moveBack>>;

export async function publishMoves(tx: TenantTx, timezone: string, { appointments, entries }: Moved, previousPatientId: string): Promise<void> {
  await Promise.all([
    ...appointments.map((one) => emit(tx, tx.clinicId, AppointmentReassignedSchema, { appointment: toAppointmentState(one, timezone), previousPatientId })),
    ...entries.map((entry) => emit(tx, tx.clinicId, WaitlistEntryUpdatedSchema, toEntryState(entry))),
  ]);
}
