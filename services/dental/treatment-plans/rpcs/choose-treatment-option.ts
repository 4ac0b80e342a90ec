// Chooses an option: its steps become the steps of the plan.
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import type { ChooseTreatmentOptionRequest } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import type { App } from '../../app.ts';
import { changeOption } from '../change-plan.ts';
import { toDetail } from '../plan-detail.ts';
import { chooseOption } from '../sql/treatment-options.sql.ts';

export async function chooseTreatmentOption(app: App, request: ChooseTreatmentOptionRequest, call: Call) {
  return toDetail(await changeOption(app, call, request, 'treatment_option.chosen', (tx, option) => chooseOption(tx, option.treatment_plan_id, option.id)));
}
