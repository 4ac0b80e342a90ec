// The actions of the audit log, `<entity>.<past participle>`, by entity, each with the name that earlier releases stored, or null. Rows are never
// changed, so former names are translated when rows are read or filtered.

const FORMER_NAMES = {
  agenda: { subscribed: 'subscribe', unsubscribed: 'unsubscribe' },
  alert_proposal: { accepted: null, dismissed: null },
  appointment: { booked: 'book', checked_in: 'check_in', patient_confirmed: null, rescheduled: 'reschedule', status_changed: 'set_status', updated: null },
  appointment_type: { created: null, deleted: null, updated: null },
  assistant_action: { confirmed: 'confirm', proposed: 'propose', rejected: 'reject' },
  assistant_briefing: { summarised: 'summarise' },
  assistant_conversation: { question_asked: 'ask', tool_used: 'use_tool' },
  assistant_settings: { updated: 'update' },
  audit_log: { archived: null, verified: 'verify_audit' },
  backup: { written: null },
  bot_texts: { updated: 'update' },
  canned_reply: { created: 'create', deleted: 'delete', updated: 'update' },
  channel: { disconnected: 'disconnect', proven: null, started: 'start', superseded: null, updated: 'update', verified: 'verify' },
  chart_entry: { created: 'chart_finding', dentition_set: 'chart_dentition', voided: 'chart_void' },
  chart_settings: { updated: null },
  chat_event: { replayed: null },
  clinic: {
    erased: 'erase',
    exported: 'export',
    features_updated: 'update_features',
    limits_changed: null,
    logo_removed: 'remove_logo',
    logo_set: 'set_logo',
    moved: null,
    registered: 'register',
    sessions_ended: 'end_sessions',
    updated: 'update',
  },
  clinical_note: { amended: null, created: null, deleted: null, signed: null, updated: null },
  conversation: { released: 'release', replied: 'reply', taken_over: 'take_over' },
  'dead-letters': { replayed: 'replay' },
  dead_letter: { replayed: null },
  demo_request: { accepted: 'accept', created: 'create', rejected: 'reject' },
  doctor: {
    commission_rule_set: 'set_commission_rule',
    created: 'create',
    deactivated: 'deactivate',
    feed_created: 'create_feed',
    feed_regenerated: 'regenerate_feed',
    photo_removed: 'remove_photo',
    photo_set: 'set_photo',
    updated: 'update',
  },
  encryption_key: { rotated: 'rotate_keys' },
  faq: { created: 'create', deleted: 'delete', updated: 'update' },
  form: { created: null, downloaded: null, sent: null, signed: null, withdrawn: null },
  form_template: { created: null, updated: null },
  integration_key: { created: null, revoked: null },
  invite_code: { created: 'create', revoked: 'revoke' },
  job: { deleted: null, retried: null },
  maintenance: { ended: null, set: null },
  medical_alert: { created: null, deleted: null, updated: null },
  operator_notice: { created: null, deleted: null, published: null, withdrawn: null },
  patient: {
    archived: 'archive',
    created: 'create',
    dui_read: 'read_dui',
    erased: 'erase',
    exported: 'export',
    merge_undone: 'undo_merge',
    merged: 'merge',
    recall_opted_in: 'recall_opt_in',
    recall_opted_out: 'recall_opt_out',
    restored: 'restore',
    tax_profile_read: 'tax_profile.read',
    tax_profile_set: 'tax_profile.set',
    updated: 'update',
  },
  patient_file: { deleted: null, downloaded: null, stored: null, updated: null, uploaded: null },
  patient_import: { finished: 'import' },
  appointment_import: { finished: 'import' },
  balance_import: { finished: 'import' },
  patients: { exported: 'export' },
  payment: { recorded: 'create', voided: 'void' },
  payment_event: { replayed: 'replay' },
  payment_plan: { created: 'create', updated: 'update' },
  periodontal_exam: { created: 'create' },
  prescription: { created: null, downloaded: null, sent: null },
  prices: { replaced: 'replace' },
  projection: { rebuilt: 'rebuild' },
  quote: { accepted: 'accept', created: 'create' },
  recall_campaign: { created: 'create', deactivated: 'deactivate', updated: 'update' },
  reminder_settings: { updated: 'update' },
  report: { subscription_changed: null },
  resource: { created: null, deleted: null, updated: null },
  session: { ended: 'end', reused_token_refused: 'refuse_reused_token' },
  stream: { rebuilt: 'rebuild' },
  subscriptions: { replayed: 'replay' },
  tax_document: {
    corrected: null,
    deferred: 'tax_document.contingency',
    invalidated: null,
    issued: null,
    links_revoked: null,
    processed: null,
    read: null,
    rejected: null,
    sent: null,
  },
  tax_issuer: { certificate_set: 'tax_certificate.set', set: null },
  treatment_option: { chosen: 'choose', created: 'create', deleted: 'delete' },
  treatment_plan: { created: 'create', generated: 'generate', updated: 'update' },
  treatment_step: { appointment_followed: 'follow_visit', created: 'create', deleted: 'delete', updated: 'update' },
  user: {
    created: 'create',
    mfa_enabled: null,
    mfa_removed: null,
    mfa_reset: null,
    other_sessions_ended: 'end_other_sessions',
    password_changed: null,
    password_reset: 'reset_password',
    password_reset_requested: 'request_password_reset',
    photo_removed: 'remove_photo',
    photo_set: 'set_photo',
    pin_locked: 'lock_pin',
    pin_removed: null,
    pin_set: 'set_pin',
    signed_in: 'sign_in',
    switched: 'switch_user',
    updated: 'update',
  },
  vacation: { created: 'create', deleted: 'delete' },
  waitlist_entry: { joined: 'join', left: 'leave', offer_accepted: 'accept_offer', offer_declined: 'decline_offer' },
  webhook_delivery: { redelivered: null },
  webhook_endpoint: { created: null, deleted: null, disabled: null, secret_rotated: null, updated: null },
  webhooks: { replayed: 'replay' },
} as const satisfies Record<string, Record<string, string | null>>;

type Names = typeof FORMER_NAMES;
export type AuditAction = { [Entity in keyof Names]: `${Entity}.${keyof Names[Entity] & string}` }[keyof Names];

export const AUDIT_ACTIONS = Object.entries<Record<string, string | null>>(FORMER_NAMES).flatMap(([entity, names]) =>
  Object.entries(names).map(([done, former]) => ({ action: `${entity}.${done}`, entity, former })),
);

/** Whether an action has the name, or had it in an earlier release. */
export const isAuditAction = (text: string): boolean => AUDIT_ACTIONS.some(({ action, former }) => action === text || former === text);
export const isAuditEntity = (text: string): boolean => Object.hasOwn(FORMER_NAMES, text);

const BY_FORMER_NAME = new Map(AUDIT_ACTIONS.map(({ action, entity, former }) => [`${entity} ${former}`, action]));

/** The kind of record that an action concerns: the part before the dot. */
export function entityOf(action: string): string {
  return action.slice(0, action.indexOf('.'));
}

/** The current name of a stored action. */
export const toCurrentAction = (entity: string, stored: string): string => BY_FORMER_NAME.get(`${entity} ${stored}`) ?? stored;

/**
 * The stored actions that a filter by a current or former name matches. An entry `<entity> <action>` matches the stored action only of that entity.
 */
export function toStoredActions(wanted: string): string[] {
  const formerNames = AUDIT_ACTIONS.flatMap(({ action, entity, former }) => (action === wanted && former ? [`${entity} ${former}`] : []));
  const currentNames = AUDIT_ACTIONS.flatMap(({ action, former }) => (former === wanted ? [action] : []));
  return [wanted, ...formerNames, ...currentNames];
}

/** SQL: whether a row has one of the actions that toStoredActions returned as the parameter `n`; true when that is null. */
export const hasAction = (n: number): string => `($${n}::text[] is null or action = any ($${n}) or entity || ' ' || action = any ($${n}))`;
