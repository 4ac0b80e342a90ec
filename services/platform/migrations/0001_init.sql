-- Invite codes, and what the statistics know of clinics and appointments from events.

-- They belong to the platform and to no clinic, so requests of clinics may not touch them: the system role only.
create table invite_codes (
  id uuid primary key,
  -- XXXX-XXXX-XXXX. Kept as it is, since operators read it in their list and hand it on.
  code text not null,
  -- Lower case.
  email text check (email = lower(email)),
  plan text not null check (plan in ('basic', 'pro', 'clinica', 'trial', 'forever_free')),
  -- How long the code lasts and, unless it is for a trial, how long the subscription lasts that it opens.
  days int check (days between 0 and 3650),
  expires_at timestamptz,
  source text not null check (source in ('manual', 'demo')),
  notes text,
  created_at timestamptz not null,
  used_at timestamptz,
  used_by_clinic_id uuid,
  revoked_at timestamptz,
  -- A registration under way holds the code for a minute.
  held_by_clinic_id uuid,
  held_until timestamptz,
  constraint invite_codes_code_unique unique (code),
  check ((plan = 'forever_free') = (expires_at is null)),
  check ((plan = 'forever_free') = (days is null)),
  check ((used_at is null) = (used_by_clinic_id is null)),
  check ((held_by_clinic_id is null) = (held_until is null))
);
create index invite_codes_created on invite_codes (created_at desc, id desc);
revoke all on invite_codes from clinic_platform;

-- One row for each clinic that an event told of, in whichever order they came.
create table clinics_seen (
  clinic_id uuid primary key,
  plan text not null,
  subscription_expires_at timestamptz,
  is_active boolean not null,
  timezone text not null,
  -- Null until the registration itself has been heard of.
  registered_at timestamptz,
  -- Of the newest event: older ones change nothing.
  revision int not null
);
create index clinics_seen_registered on clinics_seen (registered_at);
select tenant_table('clinics_seen');

create table appointments_seen (
  clinic_id uuid not null,
  appointment_id uuid not null,
  appointment_date date not null,
  status text not null,
  timezone text not null,
  revision int not null,
  primary key (clinic_id, appointment_id)
);
-- One day of all clinics, which is what the statistics ask for.
create index appointments_seen_by_day on appointments_seen (appointment_date, clinic_id) where status <> 'cancelled';
select tenant_table('appointments_seen');
