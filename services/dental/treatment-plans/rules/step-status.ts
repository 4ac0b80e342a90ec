// Statuses of plans and steps, and how a step follows the appointment it is linked to.

export const PLAN_STATUSES = ['active', 'completed', 'paused', 'cancelled'] as const;
export const STEP_STATUSES = ['pending', 'scheduled', 'completed', 'skipped'] as const;
export type StepStatus = (typeof STEP_STATUSES)[number];

export type StepState = { status: StepStatus; completed_by_visit: boolean };

/**
 * The state of a step for the status of its appointment: scheduled while the appointment is pending or confirmed, completed with it,
 * pending when it is cancelled or missed. A cancelled appointment stays linked, so that the step follows when it is confirmed again.
 * A step that a user completed or skipped does not change; a completion by the appointment is undone with it.
 */
export function followAppointment({ status, completed_by_visit }: StepState, appointmentStatus: string): StepState {
  const setByUser = status === 'skipped' || (status === 'completed' && !completed_by_visit);
  if (setByUser) return { status, completed_by_visit };
  if (appointmentStatus === 'completed') return { status: 'completed', completed_by_visit: true };
  return { status: appointmentStatus === 'confirmed' || appointmentStatus === 'pending' ? 'scheduled' : 'pending', completed_by_visit: false };
}

/** The state of a step whose appointment was unlinked: scheduled becomes pending, other statuses do not change. */
export const unlinkAppointment = (step: StepState): StepState => ({ status: step.status === 'scheduled' ? 'pending' : step.status, completed_by_visit: false });
