-- What people do with their accounts: pictures, PINs, sessions of their own, lost passwords.

-- Pictures as they were drawn anew, of people and of clinics. Their ids are random, since whoever knows one may look:
-- an <img> sends no token.
create table pictures (
  clinic_id uuid not null references clinics,
  id uuid not null,
  content bytea not null,
  content_type text not null,
  created_at timestamptz not null,
  primary key (clinic_id, id),
  constraint pictures_id_unique unique (id)
);
select tenant_table('pictures');

alter table clinics
  drop column logo_url,
  add column logo_id uuid,
  -- Of the last word from messaging about the chat channel.
  add column channel_revision int not null default 0,
  add foreign key (clinic_id, logo_id) references pictures;

alter table users
  add column photo_id uuid,
  add column pin_hash text,
  -- Attempts since the last right PIN or the last lock.
  add column pin_attempts int not null default 0,
  add column pin_locked_until timestamptz,
  -- Grows with each change that others hear of.
  add column revision int not null default 1,
  add foreign key (clinic_id, photo_id) references pictures;

alter table session_families
  drop constraint session_families_end_reason_check,
  add constraint session_families_end_reason_check check (end_reason in ('logout', 'reuse', 'user_inactive', 'ended', 'password_reset')),
  add column ip text not null default '',
  add column last_used_at timestamptz;

-- Who asked for a new password, before anybody knows whether there is such an account: the answer must not wait for that.
-- The e-mail is sealed and gone as soon as it has been looked up.
create table recovery_requests (
  id uuid primary key,
  email_sealed bytea not null,
  ip text not null,
  request_id text not null,
  created_at timestamptz not null
);

create table password_recoveries (
  clinic_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  -- SHA-256 of the token, which has 256 random bits. Looked up before the clinic is known.
  token_hash bytea not null,
  -- The token itself until the mail is sent or it is of no use any more.
  token_sealed bytea,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (clinic_id, id),
  constraint password_recoveries_id_unique unique (id),
  constraint password_recoveries_token_unique unique (token_hash),
  foreign key (clinic_id, user_id) references users on delete cascade
);
create index password_recoveries_by_user on password_recoveries (clinic_id, user_id, created_at);
create index password_recoveries_expiry on password_recoveries (expires_at);
select tenant_table('password_recoveries');

-- Requests belong to no clinic yet, so the role that requests run as has no business with them.
do $$ begin
  execute format('revoke all on recovery_requests from %I', 'clinic_' || current_schema());
end $$;
