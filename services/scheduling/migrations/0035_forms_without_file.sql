-- Signed forms whose PDF is yet to be stored.
-- outside a transaction
drop index concurrently if exists forms_without_file;
create index concurrently forms_without_file on forms (signed_at) where signed_at is not null and file_id is null;
