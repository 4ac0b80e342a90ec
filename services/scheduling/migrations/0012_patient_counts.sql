-- Counts the patients of a clinic from a few pages: equal entries of a btree are stored once.
create index patients_active on patients (clinic_id) where archived_at is null;
