-- The tables that every service has, made once in each service's schema. The search path names the schema.

-- Turns row-level security on and forces it: the request role sees the clinic of the transaction, the system role all.
-- current_setting stands in a sub-select, so that it is evaluated once a statement and not once a row.
create function tenant_table(name text) returns void language plpgsql as $$
declare role text := 'clinic_' || current_schema();
begin
  execute format('alter table %I enable row level security', name);
  execute format('alter table %I force row level security', name);
  execute format(
    'create policy tenant on %I to %I using (clinic_id = (select nullif(current_setting(''app.clinic_id'', true), '''')::uuid))',
    name, role);
  execute format('create policy system on %I to %I using (true) with check (true)', name, role || '_system');
end $$;

-- Events to publish, written in the transaction of the change that they tell of. Kept after publication, so that a
-- stream can be rebuilt.
create table outbox (
  id uuid primary key,
  clinic_id uuid not null,
  subject text not null,
  payload jsonb not null,
  created_at timestamptz not null default now(),
  published_at timestamptz
);
create index outbox_unpublished on outbox (id) where published_at is null;
create index outbox_published on outbox (published_at);
select tenant_table('outbox');

-- When the stream that the outbox was published to was created: another date means that it was lost and made anew.
create table published_stream (
  name text primary key,
  created_at text not null
);

-- Events already handled, by consumer: an effect happens once, however often the event arrives.
create table inbox (
  consumer text not null,
  event_id uuid not null,
  handled_at timestamptz not null default now(),
  primary key (consumer, event_id)
);
create index inbox_handled on inbox (handled_at);

-- First answers of creating calls, by the caller's Idempotency-Key.
create table idempotency_keys (
  clinic_id uuid not null,
  key text not null,
  method text not null,
  request_hash bytea not null,
  response bytea,
  created_at timestamptz not null default now(),
  primary key (clinic_id, key)
);
create index idempotency_keys_created on idempotency_keys (created_at);
select tenant_table('idempotency_keys');

-- Who did what: one row a change and one a read of a national id. Rows are added, never changed.
create table audit_log (
  clinic_id uuid not null,
  id uuid not null,
  at timestamptz not null default now(),
  actor_kind text not null,
  actor_id text not null,
  action text not null,
  entity text not null,
  entity_id text not null,
  changes jsonb,
  ip text not null,
  request_id text not null,
  primary key (clinic_id, id)
);
select tenant_table('audit_log');
