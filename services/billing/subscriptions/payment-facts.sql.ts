// Facts of the payment provider's events. Always as the system, since the clinic of a fact is only determined here.
import { execute, getRow, rows, type SystemTx, sql } from '@clinic/lib/db/db.ts';
import type { Fact } from './fact-rules.ts';

const lockStatement = sql(`select pg_advisory_xact_lock(hashtext('billing payment facts'))`);

/** One event at a time is processed, over all replicas, so that related facts always see each other. Payments are few. */
export async function lockFacts(tx: SystemTx): Promise<void> {
  await rows(tx, lockStatement);
}

const upsertStatement = sql(`
  insert into payment_facts (event_id, order_id, subscription_id, named_clinic_id, at, fact) values ($1, $2, $3, $4, $5, $6)
  on conflict (event_id) do update set order_id = excluded.order_id, subscription_id = excluded.subscription_id,
    named_clinic_id = excluded.named_clinic_id, at = excluded.at, fact = excluded.fact`);

export async function putFact(tx: SystemTx, eventId: string, fact: Fact): Promise<void> {
  const orderId = fact.kind === 'invoice' ? null : (fact.orderId ?? null);
  const subscriptionId = fact.kind === 'order' ? null : fact.subscriptionId;
  await execute(tx, upsertStatement, [eventId, orderId, subscriptionId, fact.clinicId ?? null, new Date(fact.at), JSON.stringify(fact)]);
}

const hasFactStatement = sql('select from payment_facts where event_id = $1');

/** Whether the event was parsed into a fact before. */
export const hasFact = async (tx: SystemTx, eventId: string) => (await rows(tx, hasFactStatement, [eventId])).length > 0;

// Related facts: of a subscription, of the order that created it, and of the other subscriptions of that order.
const RELATED = `
  with own as (select order_id, subscription_id from payment_facts where event_id = $1),
  orders as (
    select order_id from own where order_id is not null
    union select f.order_id from payment_facts f join own using (subscription_id) where f.order_id is not null),
  subscriptions as (
    select subscription_id from own where subscription_id is not null
    union select f.subscription_id from payment_facts f join orders using (order_id) where f.subscription_id is not null),
  related as (
    select f.event_id from payment_facts f join orders using (order_id)
    union select f.event_id from payment_facts f join subscriptions using (subscription_id))`;

const findClinicsStatement = sql<{ clinic_id: string | null; before: string[] }>(`${RELATED}
  select (select f.named_clinic_id from payment_facts f join related using (event_id) where f.named_clinic_id is not null
      order by f.at, f.named_clinic_id limit 1) as clinic_id,
    array(select distinct f.clinic_id from payment_facts f join related using (event_id) where f.clinic_id is not null) as before`);

const assignStatement = sql(`${RELATED}
  update payment_facts f set clinic_id = $2 from related r where r.event_id = f.event_id and f.clinic_id is distinct from $2`);

/** Assigns the facts related to an event to the clinic that was named first. Returns that clinic, and all clinics whose facts changed. */
export async function assignClinic(tx: SystemTx, eventId: string): Promise<{ clinicId: string | undefined; affected: string[] }> {
  const found = await getRow(tx, findClinicsStatement, [eventId]);
  if (found.clinic_id === null) return { clinicId: undefined, affected: [] };
  await execute(tx, assignStatement, [eventId, found.clinic_id]);
  return { clinicId: found.clinic_id, affected: [...new Set([found.clinic_id, ...found.before])] };
}

const factsStatement = sql<{ fact: Fact }>('select fact from payment_facts where clinic_id = $1');

export const listFacts = async (tx: SystemTx, clinicId: string) => (await rows(tx, factsStatement, [clinicId])).map(({ fact }) => fact);
