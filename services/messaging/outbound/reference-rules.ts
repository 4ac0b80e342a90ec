// References identify the subject of a message that is composed when it is sent. They are stored as text in outbound.reference, which is unique
// within a kind, and published as the reference of OutboundMessageUpdated.

/** Fields of a reference in the order in which they are stored, separated by slashes. */
export const REFERENCE_FIELDS = {
  appointment_forms: ['appointmentId', 'revision'],
  appointment_notice: ['appointmentId', 'revision', 'change'],
  appointment_reminder: ['appointmentId', 'reminder', 'revision'],
  form: ['formId', 'sendId'],
  payment_reminder: ['paymentPlanId', 'month'],
  prescription: ['linkId'],
  recall: ['contactId'],
  waitlist: ['entryId', 'offerId'],
} as const;

export type ReferenceKind = keyof typeof REFERENCE_FIELDS;

/** `{ kind: 'waitlist', entryId, offerId }` and so on, discriminated by the kind of the message. */
export type Reference<K extends ReferenceKind = ReferenceKind> = { [Kind in K]: { kind: Kind } & Record<(typeof REFERENCE_FIELDS)[Kind][number], string> }[K];

export function encodeReference(reference: Reference): string {
  const values: Record<string, string> = reference;
  return REFERENCE_FIELDS[reference.kind].map((field) => values[field]).join('/');
}

/** Undefined for other kinds of messages, whose references have no structure. */
export function decodeReference(kind: string, stored: string | null): Reference | undefined {
  if (stored === null || !Object.hasOwn(REFERENCE_FIELDS, kind)) return undefined;
  const fields = REFERENCE_FIELDS[kind as ReferenceKind];
  const values = stored.split('/');
  if (values.length !== fields.length) return undefined;
  return { kind, ...Object.fromEntries(fields.map((field, index) => [field, values[index]])) } as Reference;
}

/** The references of all reminders and notices of an appointment are between these two. */
export const referencesOf = (appointmentId: string) => ({ from: `${appointmentId}/`, to: `${appointmentId}0` }); // 0 follows / in ASCII
