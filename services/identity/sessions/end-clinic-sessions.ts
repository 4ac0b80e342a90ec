// An operator ends all sessions of a clinic, for example after a device was stolen or before the clinic is erased.
import { audit } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { EndClinicSessionsRequest } from '@clinic/proto/identity/v1/clinic_sessions_pb.js';
import type { App } from '../app.ts';
import { lockClinic } from '../clinics/clinics.sql.ts';
import { countClinicFamilies, endClinicFamilies } from './session-families.sql.ts';

export async function endClinicSessions(app: Pick<App, 'db' | 'clock'>, { clinicId, dryRun }: EndClinicSessionsRequest, call: Call) {
  if (!isUuid(clinicId)) fail('NOT_FOUND', 'Clinic not found');
  return inTenant(app.db, clinicId, async (tx) => {
    found(await lockClinic(tx, clinicId), 'Clinic');
    if (dryRun) return { ended: await countClinicFamilies(tx, app.clock.now()) };
    const ended = await endClinicFamilies(tx, app.clock.now());
    if (ended > 0) await audit(tx, clinicId, call.caller, { action: 'clinic.sessions_ended', entityId: clinicId, changes: { ended } });
    return { ended };
  });
}
