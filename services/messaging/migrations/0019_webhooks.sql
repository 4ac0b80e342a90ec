-- Webhooks of the clinics: where events are sent, and each delivery. Payloads hold ids and states, never personal data.
create table webhook_endpoints (
  clinic_id uuid not null,
  id uuid not null,
  url text not null,
  events text[] not null,
  description text,
  is_active boolean not null default true,
  -- by_admin, failing or gone, while it is not active.
  disabled_reason text,
  disabled_at timestamptz,
  secret_sealed bytea not null,
  -- The secret before the last rotation, with which deliveries are signed too until then.
  previous_secret_sealed bytea,
  previous_secret_until timestamptz,
  -- Failed attempts since the last success, when they began, and until when the endpoint is left alone.
  failures int not null default 0,
  failing_since timestamptz,
  paused_until timestamptz,
  -- The sender that works on the endpoint, and until when.
  claim uuid,
  claimed_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (clinic_id, id)
);
select tenant_table('webhook_endpoints');

create table webhook_deliveries (
  clinic_id uuid not null,
  id uuid not null,
  endpoint_id uuid not null,
  -- The webhook-id header: the same for each attempt, and for each endpoint that gets the event. It begins with the time of the event.
  message_id text collate "C" not null,
  type text not null,
  -- What the event is about: its deliveries to one endpoint stay in order.
  entity_id text not null,
  payload text not null,
  status text not null check (status in ('pending', 'delivered', 'failed', 'cancelled')),
  attempts int not null default 0,
  next_attempt_at timestamptz not null,
  retry_until timestamptz not null,
  last_attempt_at timestamptz,
  duration_ms int,
  response_status int,
  -- The first kilobyte.
  response_body text,
  error text,
  created_at timestamptz not null,
  primary key (clinic_id, id),
  foreign key (clinic_id, endpoint_id) references webhook_endpoints on delete cascade
);
select tenant_table('webhook_deliveries');
-- An event that arrives twice is delivered once.
create unique index webhook_deliveries_message on webhook_deliveries (clinic_id, endpoint_id, message_id);
create index webhook_deliveries_pending on webhook_deliveries (clinic_id, endpoint_id, message_id) where status = 'pending';
create index webhook_deliveries_entity on webhook_deliveries (clinic_id, endpoint_id, entity_id, message_id) where status = 'pending';
create index webhook_deliveries_created on webhook_deliveries (created_at) where status <> 'pending';
