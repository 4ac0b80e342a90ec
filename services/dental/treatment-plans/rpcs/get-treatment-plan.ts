// One treatment plan with its options and steps.
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { GetTreatmentPlanRequest } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import type { App } from '../../app.ts';
import { getPlanDetail, toDetail } from '../plan-detail.ts';

export async function getTreatmentPlan(app: App, request: GetTreatmentPlanRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Treatment plan not found');
  return inTenant(app.db, clinicOf(call).id, async (tx) => toDetail(await getPlanDetail(tx, request.id)));
}
