// Finds events that a consumer has not handled yet, by the outbox of the producer and the inbox of the consumer. A consumer that does not use the
// inbox has handled an event when its records have the state of the event, or of the owner of the data.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT } from '../../schemas.ts';

/** SQL statements, one for each consumer, that count them as `name`, `n`. `clinicId` is an SQL expression that limits them to one clinic. */
export function countUnhandledEvents(clinicId?: string): string[] {
  const ofClinic = clinicId ? `and e.clinic_id = ${clinicId}` : '';
  return consumers().map(
    ({ service, name, producer, token }) =>
      `select 'events of ${service}-${name}' as name, count(*)::int as n from ${producer}.outbox e
       where subject like '%.${token}' ${ofClinic} and not (${isHandled(service, name)})`,
  );
}

/** An SQL condition: whether the consumer has handled the event `e`. */
export const isHandled = (service: string, name: string): string =>
  [
    `exists (select from ${service}.inbox where consumer = '${name}' and event_id = e.id)`,
    ...(name.startsWith('webhooks-') ? WITHOUT_ENDPOINT : (EFFECTS[`${service}-${name}`] ?? [])),
  ].join(' or ');

const of = (name: string) => `(e.payload->'appointment'->>'${name}')`;
const storesState = (table: string) => [
  `exists (select from ${table} s where s.clinic_id = e.clinic_id and s.appointment_id = ${of('appointmentId')}::uuid and s.revision >= ${of('revision')}::int)`,
];
// A change that does not affect the start of an appointment does not change its reminders.
const PLANNED = `exists (select from messaging.reminders r where r.clinic_id = e.clinic_id and r.appointment_id = ${of('appointmentId')}::uuid
  and (greatest(r.revision, r.seen_revision) >= ${of('revision')}::int or r.state <> 'none' and r.starts_at = ${of('startsAt')}::timestamptz))`;
const NOTIFIES = `coalesce(e.payload->>'byChat', 'false') = 'false' and coalesce((e.payload->>'seriesPosition')::int, 0) <= 1
  and (e.payload->>'previousStatus', ${of('status')}) in (
    ('pending', 'cancelled'), ('confirmed', 'cancelled'), ('pending', 'confirmed'), ('cancelled', 'confirmed'), ('cancelled', 'pending'))`;
const STATUSES = ['confirmed', 'pending', 'completed', 'cancelled', 'no_show'];
const ofDay = (date: string) => `clinic_id = e.clinic_id and doctor_id = ${of('doctorId')}::uuid and ${date} = ${of('appointmentDate')}::date`;
const COUNTED = [
  `(select concat_ws(' ', ${STATUSES.map((status) => `count(*) filter (where status = '${status}')`)}) from scheduling.appointments where ${ofDay('appointment_date')})
    = coalesce((select concat_ws(' ', ${STATUSES}) from scheduling.analytics_days where ${ofDay('date')}), '${STATUSES.map(() => 0).join(' ')}')`,
];
/** SQL conditions for the effects of consumers that store nothing in the inbox, either for all events or for those that do not concern them. */
const EFFECTS: Record<string, string[]> = {
  'platform-appointment-booked': storesState('platform.appointments_seen'),
  'platform-appointment-status-changed': storesState('platform.appointments_seen'),
  'platform-appointment-rescheduled': storesState('platform.appointments_seen'),
  'dental-recall-appointment-booked': storesState('dental.recall_visits'),
  'dental-recall-appointment-status-changed': storesState('dental.recall_visits'),
  'dental-recall-appointment-reassigned': storesState('dental.recall_visits'),
  'dental-recall-appointment-rescheduled': storesState('dental.recall_visits'),
  'dental-steps-of-visits': storesState('dental.visit_states'), // plain-words: visits is in a stored name
  'messaging-reminders-booked': [
    `${PLANNED} and not (${of('source')} = 'online' and ${of('status')} = 'confirmed')`,
    `${of('revision')} = '1' and ${of('status')} not in ('pending', 'confirmed')`,
  ],
  'messaging-reminders-status': [`${PLANNED} and not (${NOTIFIES})`],
  'scheduling-analytics-of-bookings': COUNTED,
  'scheduling-analytics-of-statuses': COUNTED,
  'scheduling-analytics-of-payment-plans': [
    `exists (select from scheduling.analytics_payment_plans p where p.clinic_id = e.clinic_id
      and p.payment_plan_id = (e.payload->'paymentPlan'->>'paymentPlanId')::uuid and p.revision >= (e.payload->'paymentPlan'->>'revision')::int)`,
  ],
  'dental-recall-outbound-message-updated': [`e.payload->>'kind' <> 'recall'`],
  'dental-recall-patient-replied': [`e.payload->>'kind' <> 'recall'`],
  'scheduling-waitlist-offer-unsent': [
    `e.payload->>'kind' <> 'waitlist' or e.payload->>'status' <> 'failed' or coalesce(e.payload->>'failure', '') = 'no_answer'`,
  ],
  'scheduling-commissions-of-payments': [`coalesce(jsonb_array_length(e.payload->'appointmentIds'), 0) = 0`],
};
const WITHOUT_ENDPOINT = [
  'not exists (select from messaging.webhook_endpoints w where w.clinic_id = e.clinic_id and w.created_at <= uuid_extract_timestamp(e.id))',
];

/** The consumers of the services, from their NATS permissions. */
function consumers() {
  const rights = readFileSync(path.join(PROJECT, 'deploy/nats/users.conf'), 'utf8');
  const all = rights.matchAll(/CONSUMER\.CREATE\.CLINIC\.(?<service>\w+)-(?<name>[\w-]+)\.clinic\.\*\.(?<producer>\w+)\.(?<token>[\w-]+)"/g);
  return [...all].map(({ groups }) => groups as { service: string; name: string; producer: string; token: string });
}
