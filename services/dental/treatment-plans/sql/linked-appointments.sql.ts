// The newest known status of appointments, and the steps linked to them. Both the event consumer and the RPCs that link a step lock the
// appointment's row in visit_states before the plan's row, so that neither misses the other's change.
import { execute, row, rows, type SystemTx, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import type { TreatedPlace } from '../rules/step-finding.ts';
import type { StepState } from '../rules/step-status.ts';

export type AppointmentState = { appointment_id: string; status: string; revision: number };

// The update changes nothing. It is needed because only an update locks and returns an existing row.
const lockStatement = sql<{ status: string; revision: number }>(`
  insert into visit_states as known (clinic_id, appointment_id, status, revision) values ($1, $2, '', 0)
  on conflict (clinic_id, appointment_id) do update set revision = known.revision
  returning status, revision`);

/**
 * Locks the state of an appointment that a step is being linked to, and returns its newest status. The status that scheduling
 * returned is not stored: its event has not arrived yet, and must then still be applied to the other steps of the appointment.
 */
export async function lockAppointmentState(tx: TenantTx, appointment: AppointmentState): Promise<string> {
  const known = await row(tx, lockStatement, [tx.clinicId, appointment.appointment_id]);
  return known && known.revision > appointment.revision ? known.status : appointment.status;
}

const changeStatement = sql(`
  insert into visit_states as known (clinic_id, appointment_id, status, revision) values ($1, $2, $3, $4)
  on conflict (clinic_id, appointment_id) do update set status = excluded.status, revision = excluded.revision
  where excluded.revision > known.revision`);

/** Stores the state of an appointment and locks its row. False when this revision or a newer one is already stored. */
export async function upsertAppointmentState(tx: SystemTx, clinicId: string, appointment: AppointmentState): Promise<boolean> {
  return (await execute(tx, changeStatement, [clinicId, appointment.appointment_id, appointment.status, appointment.revision])) > 0;
}

export type LinkedPlan = { id: string; patient_id: string; status: string; revision: number };

// Plans are locked in the order of their ids, so that the events of two appointments cannot deadlock.
const lockPlansStatement = sql<LinkedPlan>(`
  select id, patient_id, status, revision from treatment_plans p
  where clinic_id = $1 and exists (
    select from treatment_steps s where s.clinic_id = p.clinic_id and s.appointment_id = $2 and s.treatment_plan_id = p.id)
  order by id for update`);

export function lockLinkedPlans(tx: SystemTx, clinicId: string, appointmentId: string): Promise<LinkedPlan[]> {
  return rows(tx, lockPlansStatement, [clinicId, appointmentId]);
}

export type LinkedStep = StepState & TreatedPlace & { id: string; treatment_plan_id: string; closing_entry_id: string | null };

const listStepsStatement = sql<LinkedStep>(`
  select id, treatment_plan_id, status, completed_by_visit, procedure_code, tooth, surfaces, closing_entry_id from treatment_steps where clinic_id = $1 and appointment_id = $2`);

export function listLinkedSteps(tx: SystemTx, clinicId: string, appointmentId: string): Promise<LinkedStep[]> {
  return rows(tx, listStepsStatement, [clinicId, appointmentId]);
}

const setStepStatement = sql(`
  update treatment_steps set status = $3, completed_by_visit = $4, closing_entry_id = $5, updated_at = $6 where clinic_id = $1 and id = $2`);
const touchStatement = sql('update treatment_plans set revision = revision + 1, updated_at = $3 where clinic_id = $1 and id = $2');

export async function updateLinkedStep(
  tx: SystemTx,
  clinicId: string,
  { id, status, completed_by_visit, closing_entry_id }: LinkedStep,
  now: Date,
): Promise<void> {
  await execute(tx, setStepStatement, [clinicId, id, status, completed_by_visit, closing_entry_id, now]);
}

export async function touchLinkedPlan(tx: SystemTx, clinicId: string, id: string, now: Date): Promise<void> {
  await execute(tx, touchStatement, [clinicId, id, now]);
}
