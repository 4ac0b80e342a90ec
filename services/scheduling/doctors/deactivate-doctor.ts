// Deactivates a doctor. Appointments stay as they are.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { DeactivateDoctorRequest } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import type { App } from '../app.ts';
import { deactivateDoctor as deactivate } from './doctors.sql.ts';

export async function deactivateDoctor(app: App, request: DeactivateDoctorRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Doctor not found');
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const { id } = found(await deactivate(tx, request.id, app.clock.now()), 'Doctor');
    await audit(tx, tx.clinicId, call.caller, { action: 'doctor.deactivated', entityId: id });
    return { message: 'Doctor deactivated' };
  });
}
