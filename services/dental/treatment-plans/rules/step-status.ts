// What becomes of a step when its visit changes.

export const PLAN_STATUSES = ['active', 'completed', 'paused', 'cancelled'] as const;
export const STEP_STATUSES = ['pending', 'scheduled', 'completed', 'skipped'] as const;
export type StepStatus = (typeof STEP_STATUSES)[number];

export type StepState = { status: StepStatus; completed_by_visit: boolean };

/**
 * An open step follows its visit: scheduled while the visit stands, completed with it, pending again when it is
 * cancelled or missed; the link stays, so that a visit that stands again takes the step along. What a person has
 * completed or skipped stays; what the visit has completed is taken back with it.
 */
export function followAppointment({ status, completed_by_visit }: StepState, visit: string): StepState {
  const settled = status === 'skipped' || (status === 'completed' && !completed_by_visit);
  if (settled) return { status, completed_by_visit };
  if (visit === 'completed') return { status: 'completed', completed_by_visit: true };
  return { status: visit === 'confirmed' || visit === 'pending' ? 'scheduled' : 'pending', completed_by_visit: false };
}

/** Without a visit a step that was scheduled is pending again; all others stay. */
export function unlinkAppointment(step: StepState): StepState {
  return { status: step.status === 'scheduled' ? 'pending' : step.status, completed_by_visit: false };
}
