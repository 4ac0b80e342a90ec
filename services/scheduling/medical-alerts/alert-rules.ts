// Which medical alerts are valid.

export const ALERT_KINDS = ['allergy', 'condition', 'medication', 'other'] as const;
/** The least severe first. */
export const SEVERITIES = ['info', 'warning', 'danger'] as const;
export const MAX_ALERT_TEXT = 500;

export type AlertFields = { kind: (typeof ALERT_KINDS)[number]; severity: (typeof SEVERITIES)[number]; text: string };
