-- Lists of appointments that changed since a time.
-- outside a transaction
drop index concurrently if exists appointments_by_change;
create index concurrently appointments_by_change on appointments (clinic_id, updated_at);
