-- What billing told of each clinic, and the warnings before a subscription ends.

create table applied_subscriptions (
  clinic_id uuid primary key references clinics,
  revision int not null,
  -- What came of it. When the clinic shows something else, an operator has changed it since.
  plan text not null,
  expires_at timestamptz,
  -- What the clinic had otherwise: from its invite code, or from an operator.
  granted_plan text not null,
  granted_expires_at timestamptz,
  source_event_id uuid not null,
  applied_at timestamptz not null
);
select tenant_table('applied_subscriptions');

-- One row for each warning that was told.
create table expiry_warnings (
  clinic_id uuid not null references clinics,
  -- The day of the expiry (UTC), so that an expiry corrected by seconds is the same.
  expires_on date not null,
  days_left int not null check (days_left in (7, 3, 1)),
  warned_at timestamptz not null,
  primary key (clinic_id, expires_on, days_left)
);
select tenant_table('expiry_warnings');
create index clinics_expiring on clinics (subscription_expires_at) where is_active and subscription_plan <> 'forever_free';

-- What operators did, for their audit log.
create index audit_log_operators on audit_log (at desc, id desc) where actor_kind = 'operator';
