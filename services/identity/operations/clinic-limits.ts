// An operator limits a clinic, or makes it read-only.
import { audit, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { GetClinicLimitsRequest, UpdateClinicLimitsRequest } from '@clinic/proto/identity/v1/operations_pb.js';
import type { App } from '../app.ts';
import { findLimits, lockLimits, saveLimits } from './clinic-limits.sql.ts';

export const getClinicLimits = async (app: App, { clinicId }: GetClinicLimitsRequest) =>
  toFields(found(isUuid(clinicId) ? await findLimits(app.db, clinicId) : undefined, 'Clinic'));

export async function updateClinicLimits(app: Pick<App, 'db' | 'clock'>, request: UpdateClinicLimitsRequest, call: Call) {
  const { clinicId, readOnly } = request;
  const perMinute = parseLimit('requests_per_minute', request.requestsPerMinute, 1_000_000);
  const concurrent = parseLimit('concurrent_requests', request.concurrentRequests, 1_000);
  if (!isUuid(clinicId)) fail('NOT_FOUND', 'Clinic not found');
  return inTenant(app.db, clinicId, async (tx) => {
    const before = found(await lockLimits(tx), 'Clinic');
    const after = {
      clinic_id: clinicId,
      read_only: readOnly ?? before.read_only,
      requests_per_minute: perMinute === undefined ? before.requests_per_minute : perMinute,
      concurrent_requests: concurrent === undefined ? before.concurrent_requests : concurrent,
    };
    const changes = maskChanges(before, after, []);
    if (Object.keys(changes).length === 0) return toFields(before);
    const [saved] = await Promise.all([
      saveLimits(tx, after, app.clock.now()),
      audit(tx, clinicId, call.caller, { action: 'clinic.limits_changed', entityId: clinicId, changes }),
    ]);
    return toFields(saved);
  });
}

/** Undefined means no change, null the default, which 0 restores. */
const parseLimit = (path: string, limit: number | undefined, max: number) => (limit === undefined ? undefined : parseInteger(path, limit, 0, max) || null);
