// The rules for each kind of message, which are checked before every attempt to send one.

const HOUR_MS = 3_600_000;

/** Why a message is no longer sent, by the stored code. */
const REASONS = {
  visit_over: 'The appointment is over or was cancelled', // plain-words: visit is in a stored code
  visit_moved: 'The appointment was moved', // plain-words: visit is in a stored code
  visit_booked: 'The patient has booked an appointment', // plain-words: visit is in a stored code
  visited: 'The patient has had an appointment since',
  too_soon: 'The appointment was booked less than an hour before the reminder',
  too_late: 'It is too late for this message',
  superseded: 'A newer message replaces it',
  changed_again: 'The appointment was changed again',
  offer_over: 'The offer is no longer open',
  not_owed: 'Nothing is owed, or the payment plan has no reminders',
  nothing_to_sign: 'The patient has nothing left to sign, or the appointment is over',
  no_phone: 'The patient has no phone',
  by_mail: 'The patient has no phone: it was sent by mail',
  no_address: 'The clinic has no connected chat number, and the patient has no e-mail address',
  opted_out: 'The patient does not want such messages',
  archived: 'The patient is archived',
  withdrawn: 'The message was withdrawn',
  taken_over: 'A person has taken over the conversation',
  disabled: 'Reminders are switched off',
  disconnected: 'The clinic has no connected chat number',
  clinic_inactive: 'The clinic is not active',
  cancelled: 'The message is no longer needed',
} as const;

export type DropReason = keyof typeof REASONS;

export const describeReason = (code: string): string => (Object.hasOwn(REASONS, code) ? REASONS[code as DropReason] : REASONS.cancelled);

type Rules = {
  /**
   * answer: sent during quiet hours, unless it is more than an hour late. held: waits for the end of the quiet hours, unless the patient needs it
   * earlier. planned: already planned for a time outside the quiet hours (reminders/due-time-rules.ts).
   */
  quietHours: 'answer' | 'held' | 'planned';
  /** The message is given up if it could not be sent for this long. */
  maxAgeMs: number;
  /** The message is dropped if one of these is true at the time of the attempt. */
  dropsWhen: readonly DropReason[];
};

export const KINDS = {
  bot: { quietHours: 'answer', maxAgeMs: 24 * HOUR_MS, dropsWhen: ['taken_over'] },
  reply: { quietHours: 'answer', maxAgeMs: 24 * HOUR_MS, dropsWhen: [] },
  /** The slot is held for 10 minutes. */
  booking_code: { quietHours: 'answer', maxAgeMs: 10 * 60_000, dropsWhen: [] },
  appointment_reminder: {
    quietHours: 'planned',
    maxAgeMs: 24 * HOUR_MS,
    dropsWhen: ['visit_over', 'visit_moved', 'too_late', 'superseded', 'disabled', 'no_phone'], // plain-words: visit is in a stored code
  },
  appointment_notice: { quietHours: 'held', maxAgeMs: 24 * HOUR_MS, dropsWhen: ['superseded', 'changed_again', 'too_late', 'no_phone', 'by_mail'] },
  appointment_forms: { quietHours: 'held', maxAgeMs: 12 * HOUR_MS, dropsWhen: ['nothing_to_sign', 'no_phone'] },
  form: { quietHours: 'held', maxAgeMs: 24 * HOUR_MS, dropsWhen: ['nothing_to_sign', 'no_phone'] },
  waitlist: { quietHours: 'held', maxAgeMs: 24 * HOUR_MS, dropsWhen: ['offer_over', 'no_phone'] },
  payment_reminder: { quietHours: 'held', maxAgeMs: 72 * HOUR_MS, dropsWhen: ['not_owed', 'no_phone'] },
  prescription: { quietHours: 'held', maxAgeMs: 24 * HOUR_MS, dropsWhen: ['too_late', 'no_phone'] },
  recall: { quietHours: 'held', maxAgeMs: 72 * HOUR_MS, dropsWhen: ['opted_out', 'withdrawn', 'archived', 'no_phone', 'visit_booked', 'visited'] }, // plain-words: visit is in a stored code
} as const satisfies Record<string, Rules>;

type Kind = keyof typeof KINDS;
export type DropReasonOf<K extends Kind> = (typeof KINDS)[K]['dropsWhen'][number];

/** Unknown kinds, such as those of a later release, are treated as replies of the staff. */
const rulesOf = (kind: string): Rules => (Object.hasOwn(KINDS, kind) ? KINDS[kind as Kind] : KINDS.reply);

/** Whether the message waits for the end of the quiet hours. */
export const isHeldByQuietHours = (kind: string, dueAt: Date, now: Date): boolean => {
  const { quietHours } = rulesOf(kind);
  return quietHours === 'held' || (quietHours === 'answer' && now.getTime() - dueAt.getTime() > HOUR_MS);
};

export const isTooOld = (kind: string, dueAt: Date, now: Date): boolean => now.getTime() - dueAt.getTime() > rulesOf(kind).maxAgeMs;
