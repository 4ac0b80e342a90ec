-- A chat number leads to the clinic whose token the provider has confirmed for it. What a clinic only entered is a claim: several
-- clinics may claim one number, and a claim receives nothing.
-- locks channels: one row a clinic
alter table channels
  add column proven_number_id text,
  add constraint channels_proven_number_unique unique (proven_number_id),
  drop constraint channels_number_unique;
create index channels_number on channels (phone_number_id) where phone_number_id is not null;

-- What is active was confirmed. A number that failed later has its display number, which comes from the provider alone.
-- An owner that is no superuser sees no row while row-level security is forced.
alter table channels no force row level security;
update channels set proven_number_id = phone_number_id
where phone_number_id is not null and (status = 'active' or (status in ('verifying', 'failed') and display_number <> ''));
alter table channels force row level security;

-- Deliveries for numbers that are claimed and not proven wait: `waits_for` names the numbers. The constraint is not validated,
-- since the one before it was stricter.
alter table chat_events
  add column waits_for jsonb,
  drop constraint chat_events_status_check,
  add constraint chat_events_status_check check (status in ('received', 'done', 'unusable', 'unknown_number', 'unproven_number')) not valid;
