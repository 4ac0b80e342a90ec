-- Merges of two patients' records, as scheduling's events tell: what was moved, so that an undo moves back that and no more.
create table dte_patient_merges (
  clinic_id uuid not null,
  merge_id uuid not null,
  kept_id uuid not null,
  merged_id uuid not null,
  documents uuid[] not null default '{}',
  profile boolean not null default false,
  undone boolean not null,
  primary key (clinic_id, merge_id)
);
select tenant_table('dte_patient_merges');
