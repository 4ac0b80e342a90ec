-- Lists and searches of archived patients, and searches by the phone of a merged record.
-- outside a transaction
drop index concurrently if exists patients_archived_by_name;
create index concurrently patients_archived_by_name on patients (clinic_id, search_name, id) where archived_at is not null;
drop index concurrently if exists patients_archived_by_part;
create index concurrently patients_archived_by_part on patients using gin (clinic_id, search_name gin_trgm_ops, phone gin_trgm_ops)
  with (fastupdate = off) where archived_at is not null;
