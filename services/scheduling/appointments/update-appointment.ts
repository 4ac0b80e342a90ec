// Changes the notes and the type of an appointment, whatever its status. Its time and length stay.
import { audit, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { found } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { AppointmentsUpdatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { UpdateAppointmentRequest } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import type { App } from '../app.ts';
import { findZoneIn } from '../clinics/clinics.sql.ts';
import { claimResource } from '../slots/claim-slot.ts';
import { NO_NEEDS, resolveNeeds } from '../slots/slot-needs.ts';
import { type EmbeddedRow, toProto, toState } from './appointment-row.ts';
import { findRefs, lockAppointment } from './appointments.sql.ts';
import { setDetails } from './change-appointment.sql.ts';
import { isActive, MAX_NOTES } from './status-rules.ts';

export async function updateAppointment(app: App, request: UpdateAppointmentRequest, call: Call) {
  const clinic = clinicOf(call);
  const notes = parseOptionalText('notes', request.notes, MAX_NOTES);
  const typeId = request.typeId ? parseUuid('typeId', request.typeId) : null;
  return inTenant(app.db, clinic.id, async (tx) => {
    const [locked, timezone] = await Promise.all([lockAppointment(tx, request.id), findZoneIn(tx, clinic.id, clinic.timezone)]);
    const before = found(locked, 'Appointment');
    const now = app.clock.now();
    const wanted = {
      notes: request.notes === undefined ? before.notes : notes,
      type_id: request.typeId === undefined ? before.type_id : typeId,
      resource_id: before.resource_id,
    };
    if (wanted.type_id !== before.type_id) wanted.resource_id = await resourceFor(tx, before, wanted.type_id, now);
    if (wanted.notes === before.notes && wanted.type_id === before.type_id) return toProto(before);
    const after = await setDetails(tx, before.id, wanted, now);
    const [refs] = await Promise.all([
      findRefs(tx, after),
      emit(tx, clinic.id, AppointmentsUpdatedSchema, { appointments: [toState(after, timezone)] }),
      audit(tx, clinic.id, call.caller, { action: 'appointment.updated', entityId: before.id, changes: maskChanges(detailsOf(before), wanted, ['notes']) }),
    ]);
    return toProto({ ...before, ...after, ...refs });
  });
}

/** The chair or room of the appointment with the new type: the current one if it is of the right kind. */
async function resourceFor(tx: TenantTx, appointment: EmbeddedRow, typeId: string | null, now: Date): Promise<string | null> {
  const { resourceKind } = await resolveNeeds(tx, appointment.doctor_id, { ...NO_NEEDS, typeId });
  if (!resourceKind || resourceKind === appointment.resource_kind || !isActive(appointment.status)) return appointment.resource_id;
  return claimResource(tx, appointment, resourceKind, now);
}

const detailsOf = ({ notes, type_id, resource_id }: EmbeddedRow) => ({ notes, type_id, resource_id });
