// The newest known status of appointments, and the steps linked to them. Both the event consumer and the RPCs that link a step lock the
// appointment's row in visit_states before the plan's row, so that neither misses the other's change.
import { execute, row, rows, type SystemTx, sql, type TenantTx } from '@clinic/lib/db/db.ts';
import type { TreatedPlace } from '../rules/step-finding.ts';
import type { StepState } from '../rules/step-status.ts';
import type { PlanState } from './treatment-plans.sql.ts';

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

export type ClinicAppointmentState = AppointmentState & { clinic_id: string };

const changeStatement = sql<ClinicAppointmentState>(`
  insert into visit_states as known (clinic_id, appointment_id, status, revision)
  select distinct on (clinic_id, appointment_id) * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::int[]) as s (clinic_id, appointment_id, status, revision)
  order by clinic_id, appointment_id, revision desc
  on conflict (clinic_id, appointment_id) do update set status = excluded.status, revision = excluded.revision
  where excluded.revision > known.revision
  returning clinic_id, appointment_id, status, revision`);

/** Stores states of appointments and locks their rows. Returns those that are newer than what was stored. */
export function upsertAppointmentStates(tx: SystemTx, states: ClinicAppointmentState[]): Promise<ClinicAppointmentState[]> {
  const column = <K extends keyof ClinicAppointmentState>(name: K) => states.map((state) => state[name]);
  return rows(tx, changeStatement, [column('clinic_id'), column('appointment_id'), column('status'), column('revision')]);
}

export type LinkedPlan = PlanState & { clinic_id: string };

// Plans are locked in the order of their keys, so that the events of two processes cannot deadlock. With its arrays in subselects the statement is not
// planned again for each execution, which takes several times as long as executing it.
const lockPlansStatement = sql<LinkedPlan>(`
  select clinic_id, id, patient_id, status, revision from treatment_plans p
  where (clinic_id, id) in (
    select s.clinic_id, s.treatment_plan_id from unnest((select $1::uuid[]), (select $2::uuid[])) as a (clinic_id, appointment_id)
    join treatment_steps s on s.clinic_id = a.clinic_id and s.appointment_id = a.appointment_id)
  order by clinic_id, id for update`);

/** The plans with steps that are linked to some appointments. */
export const lockLinkedPlans = (tx: SystemTx, appointments: ClinicAppointmentState[]) => rows(tx, lockPlansStatement, keysOf(appointments));

type LinkedStep = StepState &
  TreatedPlace & { clinic_id: string; appointment_id: string; id: string; treatment_plan_id: string; closing_entry_id: string | null };

const listStepsStatement = sql<LinkedStep>(`
  select clinic_id, appointment_id, id, treatment_plan_id, status, completed_by_visit, procedure_code, tooth, surfaces, closing_entry_id
  from unnest($1::uuid[], $2::uuid[]) as a (clinic_id, appointment_id) join treatment_steps s using (clinic_id, appointment_id)`);

export const listLinkedSteps = (tx: SystemTx, appointments: ClinicAppointmentState[]) => rows(tx, listStepsStatement, keysOf(appointments));

const keysOf = (appointments: ClinicAppointmentState[]) => [
  appointments.map(({ clinic_id }) => clinic_id),
  appointments.map(({ appointment_id }) => appointment_id),
];

const setStepStatement = sql(`
  update treatment_steps set status = $3, completed_by_visit = $4, closing_entry_id = $5, updated_at = $6 where clinic_id = $1 and id = $2`);
const touchStatement = sql('update treatment_plans set revision = revision + 1, updated_at = $3 where clinic_id = $1 and id = $2');

export const updateLinkedStep = (tx: SystemTx, { clinic_id, id, status, completed_by_visit, closing_entry_id }: LinkedStep, now: Date) =>
  execute(tx, setStepStatement, [clinic_id, id, status, completed_by_visit, closing_entry_id, now]);

export const touchLinkedPlan = (tx: SystemTx, { clinic_id, id }: LinkedPlan, now: Date) => execute(tx, touchStatement, [clinic_id, id, now]);
