-- The merges of a patient, in either direction.
-- outside a transaction
drop index concurrently if exists patient_merges_by_kept;
create index concurrently patient_merges_by_kept on patient_merges (clinic_id, kept_id);
drop index concurrently if exists patient_merges_by_merged;
create index concurrently patient_merges_by_merged on patient_merges (clinic_id, merged_id);
