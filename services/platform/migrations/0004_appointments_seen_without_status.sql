-- A change of status needs no new entry in any index when none depends on the status and its page has room. Few appointments of a day are cancelled.
-- outside a transaction
drop index concurrently if exists appointments_seen_of_day;
create index concurrently appointments_seen_of_day on appointments_seen (appointment_date, clinic_id);
drop index concurrently if exists appointments_seen_by_day;
alter table appointments_seen set (fillfactor = 65);
