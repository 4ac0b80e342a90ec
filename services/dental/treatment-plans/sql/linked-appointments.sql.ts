// The newest that is known of visits, and the steps that are done in them. The visit's row is taken before the plan's,
// by the event and by whoever links a step, so that neither overlooks the other.
import { execute, row, rows, type SystemTx, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import type { StepState } from '../rules/step-status.ts';

export type AppointmentState = { appointment_id: string; status: string; revision: number };

// An update that changes nothing, since only an update locks and returns the row that is there.
const lockStatement = sql<{ status: string; revision: number }>(`
  insert into visit_states as known (clinic_id, appointment_id, status, revision) values ($1, $2, '', 0)
  on conflict (clinic_id, appointment_id) do update set revision = known.revision
  returning status, revision`);

/**
 * Locks what is known of a visit that a step is linked to, and returns the newest status. What scheduling has just
 * answered is not noted: the event that tells of it is still to come, and other steps wait for it.
 */
export async function lockAppointmentState(tx: TenantTx, visit: AppointmentState): Promise<string> {
  const known = await row(tx, lockStatement, [tx.clinicId, visit.appointment_id]);
  return known && known.revision > visit.revision ? known.status : visit.status;
}

const changeStatement = sql(`
  insert into visit_states as known (clinic_id, appointment_id, status, revision) values ($1, $2, $3, $4)
  on conflict (clinic_id, appointment_id) do update set status = excluded.status, revision = excluded.revision
  where excluded.revision > known.revision`);

/** Notes and locks the change of a visit. False when it is known, or something newer. */
export async function upsertAppointmentState(tx: SystemTx, clinicId: string, visit: AppointmentState): Promise<boolean> {
  return (await execute(tx, changeStatement, [clinicId, visit.appointment_id, visit.status, visit.revision])) > 0;
}

export type LinkedPlan = { id: string; patient_id: string; status: string; revision: number };

// In the order of their ids, so that two visits never wait for each other in a circle.
const lockPlansStatement = sql<LinkedPlan>(`
  select id, patient_id, status, revision from treatment_plans p
  where clinic_id = $1 and exists (
    select from treatment_steps s where s.clinic_id = p.clinic_id and s.appointment_id = $2 and s.treatment_plan_id = p.id)
  order by id for update`);

export function lockLinkedPlans(tx: SystemTx, clinicId: string, appointmentId: string): Promise<LinkedPlan[]> {
  return rows(tx, lockPlansStatement, [clinicId, appointmentId]);
}

export type LinkedStep = StepState & { id: string; treatment_plan_id: string };

const listStepsStatement = sql<LinkedStep>(`
  select id, treatment_plan_id, status, completed_by_visit from treatment_steps where clinic_id = $1 and appointment_id = $2`);

export function listLinkedSteps(tx: SystemTx, clinicId: string, appointmentId: string): Promise<LinkedStep[]> {
  return rows(tx, listStepsStatement, [clinicId, appointmentId]);
}

const setStepStatement = sql('update treatment_steps set status = $3, completed_by_visit = $4, updated_at = $5 where clinic_id = $1 and id = $2');
const touchStatement = sql('update treatment_plans set revision = revision + 1, updated_at = $3 where clinic_id = $1 and id = $2');

export async function updateLinkedStep(tx: SystemTx, clinicId: string, id: string, state: StepState, now: Date): Promise<void> {
  await execute(tx, setStepStatement, [clinicId, id, state.status, state.completed_by_visit, now]);
}

export async function touchLinkedPlan(tx: SystemTx, clinicId: string, id: string, now: Date): Promise<void> {
  await execute(tx, touchStatement, [clinicId, id, now]);
}
