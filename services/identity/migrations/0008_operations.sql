-- What operators set while the product runs: limits and read-only mode of a clinic, maintenance, notices. And the use of each clinic by day.

create table clinic_limits (
  clinic_id uuid primary key references clinics,
  read_only boolean not null default false,
  -- Null: what the gateway has set for all clinics.
  requests_per_minute int check (requests_per_minute between 1 and 1000000),
  concurrent_requests int check (concurrent_requests between 1 and 1000),
  updated_at timestamptz not null
);
select tenant_table('clinic_limits');

-- At most one row, of no clinic: the system role only.
create table maintenance (
  id boolean primary key default true check (id),
  starts_at timestamptz not null,
  -- Null: until an operator ends it.
  ends_at timestamptz,
  message text not null,
  check (ends_at > starts_at)
);
revoke all on maintenance from clinic_identity;

-- Shown to the users of all clinics, who may read them.
create table operator_notices (
  id uuid primary key,
  severity text not null check (severity in ('info', 'warning', 'critical')),
  message text not null,
  starts_at timestamptz not null,
  ends_at timestamptz,
  created_at timestamptz not null,
  check (ends_at > starts_at)
);
create index operator_notices_newest on operator_notices (created_at desc, id desc);

create table clinic_usage (
  clinic_id uuid not null references clinics,
  -- In UTC.
  day date not null,
  requests bigint not null,
  messages bigint not null,
  assistant_tokens bigint not null,
  primary key (clinic_id, day)
);
create index clinic_usage_by_day on clinic_usage (day);
select tenant_table('clinic_usage');

-- Reports that were added, so that one which is sent again is not added twice.
create table usage_reports (
  id uuid primary key,
  added_at timestamptz not null
);
create index usage_reports_added on usage_reports (added_at);
revoke all on usage_reports from clinic_identity;
