// Resolves a manage link to its appointment and its clinic, whose current state identity returns.
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { fail, refuseReadOnly } from '@clinic/lib/errors/errors.ts';
import { serviceCaller } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { ifFound } from '@clinic/lib/rpc/reasons.ts';
import type { ResolvedClinic } from '@clinic/proto/identity/v1/access_pb.js';
import type { ManagedAppointmentSchema } from '@clinic/proto/scheduling/v1/manage_link_pb.js';
import type { App } from '../app.ts';
import type { EmbeddedRow } from '../appointments/appointment-row.ts';
import { findPolicy } from '../appointments/cancellation-policy.sql.ts';
import { acceptsOnlineBookings } from '../clinics/online-booking-rules.ts';
import { parseManageToken } from './manage-link.ts';
import { managedStatus } from './manage-rules.ts';

type Opened = { id: string; clinic: ResolvedClinic; call: Call };

/** The clinic, and the call on its behalf. Throws NOT_FOUND also while the clinic is suspended. */
export async function openLink(app: App, token: string, call: Call): Promise<Opened> {
  const { clinicId, id } = parseManageToken(app, token);
  const clinic = await ifFound(app.access.resolveClinic({ clinicId }, callAs(serviceCaller('scheduling', call.caller.requestId))));
  if (!clinic?.isActive) fail('NOT_FOUND', 'Appointment not found');
  const { plan, timezone, country } = clinic;
  return { id, clinic, call: { ...call, caller: { ...call.caller, clinic: { id: clinicId, plan, timezone, country } } } };
}

/** openLink() for changes. Throws READ_ONLY while the clinic is read-only. */
export async function openLinkToChange(app: App, token: string, call: Call): Promise<Opened> {
  const opened = await openLink(app, token, call);
  refuseReadOnly(opened.clinic);
  return opened;
}

export type View = MessageInitShape<typeof ManagedAppointmentSchema> & { status: string };

export async function viewOf(tx: TenantTx, { clinic }: Opened, appointment: EmbeddedRow, now: Date): Promise<View> {
  const policy = await findPolicy(tx, appointment.type_id);
  const status = managedStatus(appointment, policy.notice_hours, now);
  const { name: clinicName, phone: clinicPhone, address: clinicAddress, city: clinicCity, timezone, readOnly, bookingOrigins: embeddingOrigins } = clinic;
  const ofClinic = {
    ...{ status, clinicName, clinicPhone, clinicAddress, clinicCity, timezone, readOnly, embeddingOrigins },
    ...(acceptsOnlineBookings(clinic, now) && { bookingSlug: clinic.slug }),
  };
  if (status === 'over') return ofClinic;
  return {
    ...ofClinic,
    date: appointment.appointment_date,
    startTime: appointment.start_time.slice(0, 5),
    endTime: appointment.end_time.slice(0, 5),
    typeName: appointment.type_name ?? undefined,
    doctorName: appointment.doctor_name,
    patientConfirmed: appointment.patient_confirmed_at !== null,
    cancellationText: policy.text ?? undefined,
  };
}
