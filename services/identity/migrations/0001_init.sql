-- Clinics, the people who sign in to them, and their sessions.

-- The tenant record. Its key is called clinic_id, so that it is guarded like every other table of a clinic.
create table clinics (
  clinic_id uuid primary key,
  name text not null,
  slug text not null,
  phone text,
  address text,
  city text,
  country text not null default 'SV',
  timezone text not null,
  currency text not null default 'USD',
  logo_url text,
  clinic_type text not null check (clinic_type in ('dental', 'medical', 'other')),
  bot_enabled boolean not null default false,
  is_active boolean not null default true,
  subscription_plan text not null check (subscription_plan in ('basic', 'pro', 'clinica', 'trial', 'forever_free')),
  subscription_expires_at timestamptz,
  invite_code_id uuid not null,
  -- Grows with each change, so that readers of the events can tell a late one.
  revision int not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint clinics_slug_unique unique (slug),
  -- A code makes one clinic, whatever its holder believes.
  constraint clinics_invite_code_unique unique (invite_code_id),
  check ((subscription_plan = 'forever_free') = (subscription_expires_at is null))
);
create index clinics_created on clinics (created_at desc, clinic_id desc);
select tenant_table('clinics');

create table users (
  clinic_id uuid not null references clinics,
  id uuid not null,
  -- Lower case. One account over all clinics, since sign-in asks for nothing else.
  email text not null check (email = lower(email)),
  full_name text not null,
  phone text,
  app_role text not null check (app_role in ('admin', 'doctor', 'receptionist')),
  password_hash text not null,
  is_active boolean not null default true,
  -- Who founded the clinic does not count towards the limit of users.
  registered_clinic boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (clinic_id, id),
  constraint users_email_unique unique (email)
);
create unique index users_one_registrant on users (clinic_id) where registered_clinic;
create index users_active on users (clinic_id) where is_active;
select tenant_table('users');

-- A family is one sign-in and all refresh tokens that follow from it. Its row is the lock that orders them.
create table session_families (
  clinic_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  end_reason text check (end_reason in ('logout', 'reuse', 'user_inactive')),
  primary key (clinic_id, id),
  foreign key (clinic_id, user_id) references users on delete cascade,
  check ((ended_at is null) = (end_reason is null))
);
create index session_families_by_user on session_families (clinic_id, user_id);
create index session_families_expiry on session_families (expires_at);
create index session_families_ended on session_families (ended_at) where ended_at is not null;
select tenant_table('session_families');

create table refresh_tokens (
  clinic_id uuid not null,
  family_id uuid not null,
  -- SHA-256 of the token, which has 256 random bits and so needs no salt. Looked up before the clinic is known.
  token_hash bytea not null,
  created_at timestamptz not null,
  rotated_at timestamptz,
  successor_hash bytea,
  -- The successor itself, for a client that never received it.
  successor_sealed bytea,
  primary key (clinic_id, family_id, token_hash),
  constraint refresh_tokens_hash_unique unique (token_hash),
  foreign key (clinic_id, family_id) references session_families on delete cascade,
  check ((rotated_at is null) = (successor_hash is null))
);
select tenant_table('refresh_tokens');

-- What a clinic has switched off of the features that its plan allows.
create table feature_toggles (
  clinic_id uuid not null references clinics,
  feature text not null,
  enabled boolean not null,
  primary key (clinic_id, feature)
);
select tenant_table('feature_toggles');
