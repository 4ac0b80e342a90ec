-- One-time codes (TOTP, RFC 6238) as the second factor of a sign-in.

create table second_factors (
  clinic_id uuid not null,
  user_id uuid not null,
  secret_sealed bytea not null,
  -- Until the user has proved with a code that the app has the secret, sign-ins do not ask for one.
  confirmed_at timestamptz,
  -- The time step of the last code, since each is valid once.
  last_step bigint not null default 0,
  attempts int not null default 0,
  locks int not null default 0,
  locked_until timestamptz,
  created_at timestamptz not null,
  primary key (clinic_id, user_id),
  foreign key (clinic_id, user_id) references users on delete cascade
);
select tenant_table('second_factors');

-- Instead of a code when the app is lost. A used one is deleted.
create table recovery_codes (
  clinic_id uuid not null,
  user_id uuid not null,
  -- SHA-256 of 80 random bits.
  code_hash bytea not null,
  primary key (clinic_id, user_id, code_hash),
  foreign key (clinic_id, user_id) references second_factors on delete cascade
);
select tenant_table('recovery_codes');

alter table clinics add column require_mfa_for_admins boolean not null default false;
