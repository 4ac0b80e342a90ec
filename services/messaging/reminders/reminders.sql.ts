// Reminders of appointments: at most two for each, `day` and `hours` before it.
import { type Db, execute, readSystem, readTenant, row, rows, type SystemTx, sql, type TenantTx, type Tx } from '@clinic/lib/db/db.ts';
import { type QueueRow, watchQueues } from '@clinic/lib/jobs/queue-age.ts';
import type { Log } from '@clinic/lib/telemetry/log.ts';
import { SUPERSEDED } from '../mail/mails.sql.ts';
import type { DropReason } from '../outbound/message-kinds-rules.ts';
import { type Reference, referencesOf } from '../outbound/reference-rules.ts';

export type ReminderRow = {
  clinic_id: string;
  appointment_id: string;
  kind: 'day' | 'hours';
  /** The revision of the appointment for which this was planned. */
  revision: number;
  /** The highest revision of the appointment that has been handled; later ones may have left the plan unchanged. */
  seen_revision: number;
  starts_at: Date;
  due_at: Date | null;
  state: 'planned' | 'queued' | 'none';
  /** Why nothing is sent if the state is none; null in rows of earlier releases. */
  reason: DropReason | null;
  /** When it was sent as a mail, because the clinic has no chat or the patient no phone. */
  mailed_at: Date | null;
  /** W3C trace context of the event that planned it; null when tracing is off. */
  trace: string | null;
};

/** The reference contains the revision, so that a reminder can be sent again after it was planned again. */
export const toReference = ({ appointment_id, kind, revision }: ReminderRow) =>
  ({ kind: 'appointment_reminder', appointmentId: appointment_id, reminder: kind, revision: String(revision) }) as const;

/** The reference of the message with the forms, which is sent with the reminder. */
export const toFormsReference = ({ appointment_id, revision }: ReminderRow) =>
  ({ kind: 'appointment_forms', appointmentId: appointment_id, revision: String(revision) }) as const;

const COLUMNS = `clinic_id, appointment_id, kind, revision, greatest(revision, seen_revision) as seen_revision, starts_at, due_at, state, reason, mailed_at, trace`;

const KEYS = 'unnest($1::uuid[], $2::uuid[]) as k (clinic_id, appointment_id)';
// In a fixed order, so that transactions that plan several appointments do not deadlock.
const lockAppointmentsStatement = sql(`
  select pg_advisory_xact_lock(hashtext('messaging.reminders'), key)
  from (select distinct hashtext(id::text) as key from unnest($1::uuid[]) as a (id) order by 1) locks`);
const byAppointmentsStatement = sql<ReminderRow>(`
  select ${COLUMNS} from reminders join ${KEYS} using (clinic_id, appointment_id) order by appointment_id, kind for update of reminders`);

/** The reminders of the appointments. Other transactions cannot plan them until this one ends. */
export async function lockReminders(tx: Tx, appointments: { clinicId: string; id: string }[]): Promise<ReminderRow[]> {
  const ids = appointments.map(({ id }) => id);
  const [, found] = await Promise.all([
    rows(tx, lockAppointmentsStatement, [ids]),
    rows(tx, byAppointmentsStatement, [appointments.map(({ clinicId }) => clinicId), ids]),
  ]);
  return found;
}

const PLANNED = ['clinic_id', 'appointment_id', 'kind', 'revision', 'starts_at', 'due_at', 'state', 'reason'] as const;
const planStatement = sql(`
  insert into reminders (${PLANNED}, updated_at)
  select *, $9 from unnest($1::uuid[], $2::uuid[], $3::text[], $4::int[], $5::timestamptz[], $6::timestamptz[], $7::text[], $8::text[])
  on conflict (clinic_id, appointment_id, kind) do update
    set revision = excluded.revision, starts_at = excluded.starts_at, due_at = excluded.due_at, state = excluded.state,
      reason = excluded.reason, mailed_at = null, updated_at = excluded.updated_at
    where reminders.revision < excluded.revision`);

export type ReminderPlan = Omit<ReminderRow, 'trace' | 'mailed_at' | 'seen_revision'>;

export async function upsertReminders(tx: Tx, plans: ReminderPlan[], now: Date): Promise<void> {
  if (plans.length === 0) return;
  await execute(tx, planStatement, [...PLANNED.map((column) => plans.map((plan) => plan[column])), now]);
}

const setSeenStatement = sql(`
  update reminders r set seen_revision = s.revision
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::int[]) as s (clinic_id, appointment_id, kind, revision)
  where r.clinic_id = s.clinic_id and r.appointment_id = s.appointment_id and r.kind = s.kind`);

/** Records the revisions of states that leave the plans of reminders unchanged, so that older states change nothing either. */
export async function setSeenRevisions(tx: Tx, seen: ReminderRow[]): Promise<void> {
  if (seen.length === 0) return;
  const column = <K extends keyof ReminderRow>(name: K) => seen.map((one) => one[name]);
  await execute(tx, setSeenStatement, [column('clinic_id'), column('appointment_id'), column('kind'), column('seen_revision')]);
}

const dueStatement = sql<ReminderRow>(`
  select ${COLUMNS} from reminders where state = 'planned' and due_at <= $1 order by due_at limit $2`);

/** Due reminders, the longest overdue first. Runs as the system, because it covers all clinics. */
export const listDueReminders = (db: Db, now: Date, limit: number) => readSystem(db, dueStatement, [now, limit]);

const claimStatement = sql<ReminderRow>(`
  select ${COLUMNS} from reminders
  where clinic_id = $1 and appointment_id = $2 and kind = $3 and state = 'planned' and due_at <= $4 for update skip locked`);

/** Undefined if the reminder is no longer due, or another transaction has locked it. */
export const claimReminder = (tx: Tx, { clinic_id, appointment_id, kind }: ReminderRow, now: Date) =>
  row(tx, claimStatement, [clinic_id, appointment_id, kind, now]);

const stateStatement = sql(
  'update reminders set state = $4, due_at = $5, reason = $6, mailed_at = $7, updated_at = $8 where clinic_id = $1 and appointment_id = $2 and kind = $3',
);

export const saveReminderState = (tx: Tx, { clinic_id, appointment_id, kind, state, due_at, reason, mailed_at }: ReminderRow, now: Date) =>
  execute(tx, stateStatement, [clinic_id, appointment_id, kind, state, due_at, reason, mailed_at, now]);

const findStatement = sql<ReminderRow>(`select ${COLUMNS} from reminders where clinic_id = $1 and appointment_id = $2`);

export const listReminders = (tx: TenantTx, appointmentId: string) => rows(tx, findStatement, [tx.clinicId, appointmentId]);

export type AppointmentMessageRow = { kind: string; status: string; due_at: Date | null; sent_at: Date | null; reason: string; detail: string | null };

/** `mail`: the reference of the mail, if the message was stored as one. */
type StoredMessageRow = AppointmentMessageRow & { mail: string | null };

// The state of a mail is that of its own row. A reminder whose mail was deleted (mail/purge-mails.ts) was sent.
const messagesStatement = sql<StoredMessageRow>(`
  with sent as (
    select o.kind, o.reference, o.seq, o.state, o.due_at, o.created_at, o.error_code, o.error, m.sent_at
    from outbound o left join messages m on m.clinic_id = o.clinic_id and m.id = o.id
    where o.clinic_id = $1 and o.kind in ('appointment_reminder', 'appointment_notice', 'appointment_forms') and o.reference > $3 and o.reference < $4
      and o.error_code is distinct from 'by_mail'
  ), listed as (
    select 'reminder_' || r.kind as kind, coalesce(s.state, case when r.mailed_at is null then r.state else 'sent' end) as status,
      coalesce(r.due_at, s.due_at, s.created_at, r.mailed_at) as due_at, coalesce(s.sent_at, r.mailed_at) as sent_at,
      coalesce(s.error_code, r.reason, '') as reason, coalesce(s.error, '') as detail, 0::bigint as seq,
      case when r.mailed_at is not null then concat_ws('/', r.appointment_id, r.kind, r.revision) end as mail
    from reminders r left join sent s on s.kind = 'appointment_reminder' and s.reference = concat_ws('/', r.appointment_id, r.kind, r.revision)
    where r.clinic_id = $1 and r.appointment_id = $2 and (r.state <> 'queued' or s.state is not null or r.mailed_at is not null)
    union all
    select case s.kind when 'appointment_forms' then 'forms' else split_part(s.reference, '/', 3) end, s.state, coalesce(s.due_at, s.created_at), s.sent_at,
      s.error_code, s.error, s.seq, null
    from sent s where s.kind in ('appointment_notice', 'appointment_forms')
  )
  select kind, status, due_at, sent_at, reason, detail, mail from listed order by seq, kind`);

type MailedMessageRow = AppointmentMessageRow & { reference: string; is_notice: boolean };

const mailedStatement = sql<MailedMessageRow>(`
  select reference, kind = 'appointment_notice' as is_notice,
    case kind when 'appointment_notice' then split_part(reference, '/', 3) else 'reminder_' || split_part(reference, '/', 2) end as kind,
    case error when '${SUPERSEDED}' then 'dropped' else state end as status, created_at as due_at,
    case state when 'sent' then updated_at end as sent_at,
    case when error = '${SUPERSEDED}' then error when state = 'dead' then 'failed' else '' end as reason, nullif(error, '${SUPERSEDED}') as detail
  from mails where kind in ('appointment_notice', 'appointment_reminder') and reference > $1 and reference < $2 order by created_at`);

/** The reminders of an appointment, the forms that were sent with them, and the notices of its changes. */
export async function listAppointmentMessages(db: Db, clinicId: string, appointmentId: string): Promise<AppointmentMessageRow[]> {
  const { from, to } = referencesOf(appointmentId);
  // Mails are read as the system, because they belong to no clinic.
  const [stored, mailed] = await Promise.all([
    readTenant(db, clinicId, messagesStatement, [clinicId, appointmentId, from, to]),
    readSystem(db, mailedStatement, [from, to]),
  ]);
  const reminders = stored.map((one) => mailed.find(({ reference }) => reference === one.mail) ?? one);
  return [...reminders, ...mailed.filter(({ is_notice }) => is_notice)];
}

const NEWER = "kind = 'appointment_notice' and reference > $2 and reference < $3 and split_part(reference, '/', 2)::int > $4::int";
const newerStatement = sql(`
  select where exists (select from outbound where clinic_id = $1 and ${NEWER}) or exists (select from mails where ${NEWER})`);

/** Whether the notice of a later change of the appointment was stored. The events of the changes may have arrived in any order. */
export async function isSuperseded(db: Db, clinicId: string, { appointmentId, revision }: Reference<'appointment_notice'>): Promise<boolean> {
  const { from, to } = referencesOf(appointmentId);
  // As the system, because mails belong to no clinic.
  return (await readSystem(db, newerStatement, [clinicId, from, to, revision])).length > 0;
}

// As the system, because it covers all clinics.
const queueStatement = sql<QueueRow>(`
  select 'reminders' as queue, count(*) as waiting, extract(epoch from now() - min(due_at))::float8 as seconds
  from reminders where state = 'planned' and due_at <= now()`);

export const watchReminders = (app: { db: Db; log: Log }) => watchQueues(app, ['reminders'], queueStatement);

const purgeStatement = sql(`
  delete from reminders where ctid = any(array(select ctid from reminders where starts_at < $1 and updated_at < $1 and state <> 'planned' limit $2))`);

/** Deletes up to `limit` reminders of appointments before `before` that are no longer planned. Returns their number. */
export const purgeReminders = (tx: SystemTx, before: Date, limit: number) => execute(tx, purgeStatement, [before, limit]);
