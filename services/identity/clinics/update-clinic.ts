// An operator changes the plan, expiry or suspension of a clinic. The change applies to the next request of the clinic.
import { audit, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parseInteger, parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { PLANS } from '@clinic/lib/formats/plans.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { UpdateClinicRequest } from '@clinic/proto/identity/v1/clinic_pb.js';
import type { App } from '../app.ts';
import { lockClinic, toProto, updateClinic as update } from './clinics.sql.ts';
import { publishClinicUpdated } from './publish-clinic-updated.ts';
import { changeSubscription } from './subscription-rules.ts';

export async function updateClinic(app: Pick<App, 'db' | 'clock'>, request: UpdateClinicRequest, call: Call) {
  const { clinicId } = request;
  const plan = request.plan === undefined ? undefined : parseOneOf('plan', request.plan, PLANS);
  const expiresInDays = request.expiresInDays === undefined ? undefined : parseInteger('expiresInDays', request.expiresInDays, 0, 3650);
  if (!isUuid(clinicId)) fail('NOT_FOUND', 'Clinic not found');
  const now = app.clock.now();
  return inTenant(app.db, clinicId, async (tx) => {
    const clinic = found(await lockClinic(tx, clinicId), 'Clinic');
    const current = { plan: clinic.subscription_plan, expiresAt: clinic.subscription_expires_at };
    const next = changeSubscription(current, { plan, expiresInDays }, now);
    const state = { ...clinic, subscription_plan: next.plan, subscription_expires_at: next.expiresAt, is_active: request.isActive ?? clinic.is_active };
    const changes = maskChanges(clinic, state, []);
    if (Object.keys(changes).length === 0) return toProto(clinic);
    const changed = await update(tx, clinicId, state, now);
    await Promise.all([publishClinicUpdated(tx, clinicId), audit(tx, clinicId, call.caller, { action: 'clinic.updated', entityId: clinicId, changes })]);
    return toProto(changed);
  });
}
