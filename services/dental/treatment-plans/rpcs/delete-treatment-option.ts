// Deletes an option and its steps, unless it is the chosen one.
import { fail } from '@clinic/lib/errors/errors.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { DeleteTreatmentOptionRequest } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import type { App } from '../../app.ts';
import { changeOption } from '../change-plan.ts';
import { toDetail } from '../plan-detail.ts';
import { deleteOption } from '../sql/treatment-options.sql.ts';

export async function deleteTreatmentOption(app: App, request: DeleteTreatmentOptionRequest, call: Call) {
  const plan = await changeOption(app, call, request, 'treatment_option.deleted', async (tx, option) => {
    if (option.is_chosen) fail('OPTION_IS_CHOSEN');
    await deleteOption(tx, option.treatment_plan_id, option.id);
  });
  return toDetail(plan);
}
