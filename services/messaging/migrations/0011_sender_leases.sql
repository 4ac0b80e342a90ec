-- The moment of transmission is recorded before the call of the provider, so that only what may have left is uncertain after a crash, and a
-- message whose sender no longer renews its lease is taken by another one. Messages that an earlier release claims have no lease.
-- outbound.lease_until and transmitting_at are of the database's clock, the others of the application's.
alter table outbound
  add column lease_until timestamptz,
  add column transmitting_at timestamptz,
  -- When it was to be sent first; null for messages of earlier releases, which were due when they were stored.
  add column due_at timestamptz,
  -- When the patient needs it: quiet hours that end too late for that do not hold it. Null when it may wait.
  add column needed_by timestamptz;

-- Why nothing is sent, where state is none.
alter table reminders add column reason text;
