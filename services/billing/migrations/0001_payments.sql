-- What the payment provider told, what was understood of it, and what each clinic has paid for.

-- Events belong to no clinic until they are understood: for the system role only.
create table payment_events (
  id uuid primary key,
  -- A hash of what makes an event itself, so that a repeat is known.
  dedupe_key text not null,
  -- The raw bytes, sealed: they hold the names and addresses of people.
  body_sealed bytea not null,
  header_name text not null,
  status text not null check (status in ('received', 'applied', 'ignored', 'unusable', 'unknown_clinic', 'unknown_variant')),
  reason text,
  event_name text,
  clinic_id uuid,
  order_id text,
  subscription_id text,
  variant_id text,
  received_at timestamptz not null,
  processed_at timestamptz,
  constraint payment_events_dedupe unique (dedupe_key)
);
create index payment_events_newest on payment_events (received_at desc, id desc);
create index payment_events_by_status on payment_events (status, received_at desc, id desc);
create index payment_events_by_clinic on payment_events (clinic_id) where clinic_id is not null;
select tenant_table('payment_events');
revoke all on payment_events from clinic_billing;

-- What was understood of an event (rules/fact.ts): states and instants, nothing personal. Facts are added and replaced by
-- the same event only; all else is folded from them.
create table payment_facts (
  event_id uuid primary key references payment_events,
  order_id text,
  subscription_id text,
  -- The clinic that the event names, and the one that it was found to belong to.
  named_clinic_id uuid,
  clinic_id uuid,
  at timestamptz not null,
  fact jsonb not null
);
create index payment_facts_by_order on payment_facts (order_id) where order_id is not null;
create index payment_facts_by_subscription on payment_facts (subscription_id) where subscription_id is not null;
create index payment_facts_by_clinic on payment_facts (clinic_id) where clinic_id is not null;
select tenant_table('payment_facts');
revoke all on payment_facts from clinic_billing;

-- Paid orders by the provider's id, for the figures.
create table orders (
  order_id text primary key,
  clinic_id uuid not null,
  status text not null check (status in ('paid', 'partially_refunded', 'refunded')),
  total_cents bigint not null check (total_cents >= 0),
  refunded_cents bigint not null check (refunded_cents >= 0),
  ordered_at timestamptz not null,
  revision int not null
);
select tenant_table('orders');

-- What each clinic has paid for, and how far identity has been told.
create table clinic_subscriptions (
  clinic_id uuid primary key,
  plan text not null check (plan in ('basic', 'pro', 'clinica')),
  expires_at timestamptz not null,
  status text not null check (status in ('provisional', 'active', 'past_due', 'paused', 'cancelled', 'ended')),
  source_event_id uuid not null,
  revision int not null,
  -- The revision that identity has; below `revision` it still has to be told.
  applied_revision int not null default 0,
  -- Identity knows no such clinic: nobody is told again before an event of the clinic is worked on.
  unknown_clinic boolean not null default false
);
create index clinic_subscriptions_untold on clinic_subscriptions (clinic_id) where applied_revision < revision and not unknown_clinic;
select tenant_table('clinic_subscriptions');

-- What operators did, for their audit log.
create index audit_log_operators on audit_log (at desc, id desc) where actor_kind = 'operator';
