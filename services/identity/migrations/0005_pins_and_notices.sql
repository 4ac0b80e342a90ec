-- Sessions begun by PIN, which end after 12 hours.
alter table session_families add column by_pin boolean not null default false;
-- Locks of the PIN since the last correct one. Each is longer than the one before.
alter table users add column pin_locks int not null default 0;
