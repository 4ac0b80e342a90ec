// Deletes a vacation: its days have slots again.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { DeleteVacationRequest } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import type { App } from '../app.ts';
import { deleteVacation as remove } from './vacations.sql.ts';

export async function deleteVacation(app: App, request: DeleteVacationRequest, call: Call) {
  const clinic = clinicOf(call);
  const { doctorId, vacationId } = request;
  if (!isUuid(doctorId) || !isUuid(vacationId)) fail('NOT_FOUND', 'Vacation not found');
  return inTenant(app.db, clinic.id, async (tx) => {
    if (!(await remove(tx, doctorId, vacationId))) fail('NOT_FOUND', 'Vacation not found');
    await audit(tx, clinic.id, call.caller, { action: 'vacation.deleted', entityId: vacationId });
    return { message: 'Vacation deleted' };
  });
}
