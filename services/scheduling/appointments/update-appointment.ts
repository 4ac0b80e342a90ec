// Changes the notes of an appointment, whatever its status.
import { audit, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { AppointmentsUpdatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import type { UpdateAppointmentRequest } from '@clinic/proto/scheduling/v1/appointment_pb.js';
import type { App } from '../app.ts';
import { findZone } from '../clinics/clinics.sql.ts';
import { lockAppointment, setNotes, toProto, toState } from './appointments.sql.ts';
import { MAX_NOTES } from './status-rules.ts';

export async function updateAppointment(app: App, request: UpdateAppointmentRequest, call: Call) {
  const clinic = clinicOf(call);
  const notes = parseOptionalText('notes', request.notes, MAX_NOTES);
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Appointment not found');
  return inTenant(app.db, clinic.id, async (tx) => {
    const [locked, timezone] = await Promise.all([lockAppointment(tx, request.id), findZone(tx, clinic.id, clinic.timezone)]);
    const before = found(locked, 'Appointment');
    if (request.notes === undefined || notes === before.notes) return toProto(before);
    const after = await setNotes(tx, before.id, notes, app.clock.now());
    await Promise.all([
      emit(tx, clinic.id, AppointmentsUpdatedSchema, { appointments: [toState(after, timezone)] }),
      audit(tx, clinic.id, call.caller, {
        action: 'appointment.updated',
        entityId: before.id,
        changes: maskChanges({ notes: before.notes }, { notes }, ['notes']),
      }),
    ]);
    return toProto({ ...before, ...after });
  });
}
