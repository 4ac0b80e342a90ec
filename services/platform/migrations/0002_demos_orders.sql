-- Demo requests, and what the statistics know of paid orders from events.

-- They belong to the platform and to no clinic: for the system role only.
create table demo_requests (
  id uuid primary key,
  clinic_name text not null,
  contact_name text not null,
  -- Lower case.
  email text not null check (email = lower(email)),
  phone text,
  city text,
  doctors_count int check (doctors_count between 1 and 10000),
  message text,
  status text not null default 'pending' check (status in ('pending', 'accepted', 'rejected')),
  invite_code_id uuid references invite_codes,
  reviewed_at timestamptz,
  created_at timestamptz not null,
  check ((status = 'accepted') = (invite_code_id is not null)),
  check ((status = 'pending') = (reviewed_at is null))
);
create index demo_requests_newest on demo_requests (created_at desc, id desc);
create index demo_requests_pending on demo_requests (created_at desc, id desc) where status = 'pending';
revoke all on demo_requests from clinic_platform;

-- One row for each order that an event told of.
create table orders_seen (
  order_id text primary key,
  clinic_id uuid not null,
  status text not null,
  total_cents bigint not null,
  refunded_cents bigint not null,
  ordered_at timestamptz not null,
  -- Of the newest event: older ones change nothing.
  revision int not null
);
create index orders_seen_by_day on orders_seen (ordered_at);
select tenant_table('orders_seen');

-- What operators did, for their audit log.
create index audit_log_operators on audit_log (at desc, id desc) where actor_kind = 'operator';
