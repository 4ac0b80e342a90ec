// Steps of treatment plans, numbered 1 to n within their option. Callers hold the lock of the plan; a deferred constraint rejects two
// steps with the same number.
import { execute, getRow, row, rows, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import type { TreatedPlace } from '../rules/step-finding.ts';
import type { StepStatus } from '../rules/step-status.ts';

export type StepRow = {
  id: string;
  treatment_plan_id: string;
  option_id: string;
  step_order: number;
  procedure: string;
  procedure_code: string | null;
  tooth: number | null;
  surfaces: string[];
  status: StepStatus;
  estimated_cost_cents: bigint | null;
  notes: string | null;
  appointment_id: string | null;
  completed_by_visit: boolean;
  /** The chart entry that the completion of the step added. */
  closing_entry_id: string | null;
  created_at: Date;
  updated_at: Date;
};

export const toProto = (step: StepRow) => ({ ...toFields(step), estimatedCost: step.estimated_cost_cents ?? undefined });

const COLUMNS = `id, treatment_plan_id, option_id, step_order, procedure, procedure_code, tooth, surfaces, status, estimated_cost_cents, notes,
  appointment_id, completed_by_visit, closing_entry_id, created_at, updated_at`;

type NewStep = Omit<StepRow, 'step_order' | 'closing_entry_id' | 'created_at' | 'updated_at'>;

const insertStatement = sql<StepRow>(`
  insert into treatment_steps (clinic_id, id, treatment_plan_id, option_id, procedure, procedure_code, tooth, surfaces, status, estimated_cost_cents,
    notes, appointment_id, completed_by_visit, created_at, updated_at, step_order)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14,
    (select count(*) + 1 from treatment_steps where clinic_id = $1 and treatment_plan_id = $3 and option_id = $4))
  returning ${COLUMNS}`);

/** Inserts the step as the last one of its option. */
export function insertStep(tx: TenantTx, step: NewStep, now: Date): Promise<StepRow> {
  const { id, treatment_plan_id, option_id, procedure, procedure_code, tooth, surfaces, status, estimated_cost_cents, notes } = step;
  const what = [procedure, procedure_code, tooth, surfaces, status, estimated_cost_cents, notes, step.appointment_id, step.completed_by_visit];
  return getRow(tx, insertStatement, [tx.clinicId, id, treatment_plan_id, option_id, ...what, now]);
}

const listStatement = sql<StepRow>(`select ${COLUMNS} from treatment_steps where clinic_id = $1 and treatment_plan_id = $2 order by step_order`);

/** The steps of all options of a plan, by number. */
export const listSteps = (tx: TenantTx, planId: string) => rows(tx, listStatement, [tx.clinicId, planId]);

const listAppointmentsStatement = sql<{ appointment_id: string }>(`
  select distinct s.appointment_id from treatment_steps s
  join treatment_options o on o.clinic_id = s.clinic_id and o.treatment_plan_id = s.treatment_plan_id and o.id = s.option_id
  where s.clinic_id = $1 and s.treatment_plan_id = $2 and s.appointment_id is not null and s.status <> 'skipped' and o.is_chosen`);

/** The appointments that steps of the chosen option of a plan are linked to, except skipped ones. */
export const listStepAppointments = async (tx: TenantTx, planId: string) =>
  (await rows(tx, listAppointmentsStatement, [tx.clinicId, planId])).map(({ appointment_id }) => appointment_id);

const findStatement = sql<StepRow>(`select ${COLUMNS} from treatment_steps where clinic_id = $1 and id = $2`);

export const findStep = (tx: TenantTx, id: string) => row(tx, findStatement, [tx.clinicId, id]);

const listPlannedStatement = sql<TreatedPlace>(`
  select s.procedure_code, s.tooth, s.surfaces from treatment_steps s
  join treatment_plans p on p.clinic_id = s.clinic_id and p.id = s.treatment_plan_id
  where p.clinic_id = $1 and p.patient_id = $2 and p.status in ('active', 'paused') and s.status in ('pending', 'scheduled') and s.procedure_code is not null`);

/** What the pending and scheduled steps of a patient's active and paused plans will treat, of all options. */
export const listPlannedPlaces = (tx: TenantTx, patientId: string) => rows(tx, listPlannedStatement, [tx.clinicId, patientId]);

export type StepFields = Pick<
  StepRow,
  'procedure' | 'status' | 'estimated_cost_cents' | 'notes' | 'appointment_id' | 'completed_by_visit' | 'closing_entry_id'
>;

const updateStatement = sql<StepRow>(`
  update treatment_steps set procedure = $3, status = $4, estimated_cost_cents = $5, notes = $6, appointment_id = $7, completed_by_visit = $8,
    closing_entry_id = $9, updated_at = $10
  where clinic_id = $1 and id = $2
  returning ${COLUMNS}`);

/** The caller has read the step under the plan's lock. */
export function updateStep(tx: TenantTx, id: string, step: StepFields, now: Date): Promise<StepRow> {
  const { procedure, status, estimated_cost_cents, notes, appointment_id, completed_by_visit, closing_entry_id } = step;
  const values = [procedure, status, estimated_cost_cents, notes, appointment_id, completed_by_visit, closing_entry_id, now];
  return getRow(tx, updateStatement, [tx.clinicId, id, ...values]);
}

// $4 is the old number, $5 the new one: the steps between them move by one.
const moveStatement = sql(`
  update treatment_steps
  set step_order = case when id = $6 then $5::int when $4::int < $5::int then step_order - 1 else step_order + 1 end
  where clinic_id = $1 and treatment_plan_id = $2 and option_id = $3 and step_order between least($4::int, $5::int) and greatest($4::int, $5::int)`);
const countStatement = sql<{ count: number }>(`
  select count(*)::int as count from treatment_steps where clinic_id = $1 and treatment_plan_id = $2 and option_id = $3`);

/** Moves the step to a number in its option, or to the end when the number is too high. False when it is there already. */
export async function moveStep(tx: TenantTx, step: StepRow, wanted: number): Promise<boolean> {
  const option = [tx.clinicId, step.treatment_plan_id, step.option_id];
  const target = Math.min(wanted, (await row(tx, countStatement, option))?.count ?? wanted);
  if (target === step.step_order) return false;
  await execute(tx, moveStatement, [...option, step.step_order, target, step.id]);
  return true;
}

const deleteStatement = sql('delete from treatment_steps where clinic_id = $1 and id = $2');
const closeGapStatement = sql(`
  update treatment_steps set step_order = step_order - 1
  where clinic_id = $1 and treatment_plan_id = $2 and option_id = $3 and step_order > $4`);

/** Deletes the step; the steps after it move up by one. */
export async function deleteStep(tx: TenantTx, step: StepRow): Promise<void> {
  await Promise.all([
    execute(tx, deleteStatement, [tx.clinicId, step.id]),
    execute(tx, closeGapStatement, [tx.clinicId, step.treatment_plan_id, step.option_id, step.step_order]),
  ]);
}
