-- The number that a clinic connects while its present one stays in use. It replaces the one in `channels` when it is verified.
create table next_channels (
  clinic_id uuid primary key,
  status text not null check (status in ('pending_otp', 'verifying', 'failed')),
  detail text not null,
  display_number text not null,
  phone_number_id text,
  waba_id text,
  access_token_sealed bytea,
  pin_sealed bytea,
  code_submitted boolean not null default false,
  retry_at timestamptz,
  attempts int not null default 0,
  updated_at timestamptz not null
);
create index next_channels_number on next_channels (phone_number_id) where phone_number_id is not null;
select tenant_table('next_channels');

-- Numbers that a clinic no longer uses, until the provider has deregistered them.
create table retired_numbers (
  clinic_id uuid not null,
  phone_number_id text not null,
  access_token_sealed bytea not null,
  primary key (clinic_id, phone_number_id)
);
select tenant_table('retired_numbers');

-- A code was sent to the provider, and its answer is not known yet.
alter table channels add column code_submitted boolean not null default false;
