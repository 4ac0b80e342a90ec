import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { StateService } from '@clinic/proto/dental/v1/states_pb.js';
import { TreatmentPlanService } from '@clinic/proto/dental/v1/treatment_plan_pb.js';
import type { App } from '../app.ts';
import { onAppointmentStatusChanged } from './on-appointment-status-changed.ts';
import { addTreatmentOption } from './rpcs/add-treatment-option.ts';
import { addTreatmentStep } from './rpcs/add-treatment-step.ts';
import { chooseTreatmentOption, deleteTreatmentOption } from './rpcs/change-treatment-option.ts';
import { createTreatmentPlan } from './rpcs/create-treatment-plan.ts';
import { deleteTreatmentStep } from './rpcs/delete-treatment-step.ts';
import { generateTreatmentPlan } from './rpcs/generate-treatment-plan.ts';
import { getTreatmentPlan } from './rpcs/get-treatment-plan.ts';
import { findTreatmentPlanStates, listTreatmentPlanStates } from './rpcs/list-treatment-plan-states.ts';
import { listTreatmentPlans } from './rpcs/list-treatment-plans.ts';
import { cancelTreatmentPlan, updateTreatmentPlan } from './rpcs/update-treatment-plan.ts';
import { updateTreatmentStep } from './rpcs/update-treatment-step.ts';
import { OF_PLAN } from './sql/treatment-plans.sql.ts';

export const treatmentPlans: Module<App> = {
  rpcs: [
    rpcs(TreatmentPlanService, {
      listTreatmentPlans,
      getTreatmentPlan,
      createTreatmentPlan,
      generateTreatmentPlan,
      updateTreatmentPlan,
      cancelTreatmentPlan,
      addTreatmentStep,
      updateTreatmentStep,
      deleteTreatmentStep,
      addTreatmentOption,
      chooseTreatmentOption,
      deleteTreatmentOption,
    }),
    rpcs(StateService, { findTreatmentPlanStates, listTreatmentPlanStates }),
  ],
  consumers: (app) => [onAppointmentStatusChanged(app)],
  personal: [
    { table: 'treatment_steps', ofPatient: OF_PLAN, erase: 'delete' },
    { table: 'treatment_options', ofPatient: OF_PLAN, erase: 'delete' },
    { table: 'treatment_plans', ofPatient: 'patient_id = any($ids)', erase: 'delete' },
    { table: 'visit_states' },
  ],
};
