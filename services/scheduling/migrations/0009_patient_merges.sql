-- Two records of one person. The emptied record stays where it is, archived, with all its own fields and its phone: who
-- books by that phone is the kept patient, and an undo finds everything it needs.
alter table patients add column merged_into uuid, add foreign key (clinic_id, merged_into) references patients,
  add check (merged_into is null or archived_at is not null);
create index patients_merged on patients (clinic_id, merged_into) where merged_into is not null;
create index patients_dependants on patients (clinic_id, guardian_id) where guardian_id is not null;

create table patient_merges (
  clinic_id uuid not null,
  id uuid not null,
  kept_id uuid not null,
  merged_id uuid not null,
  -- What moved, by id: an undo moves back these and nothing else.
  appointments uuid[] not null,
  waitlist_entries uuid[] not null,
  dependants uuid[] not null,
  -- Records that had been merged into the merged one before.
  aliases uuid[] not null,
  -- Names of the fields that the kept patient took over.
  filled text[] not null,
  -- How many of the moved appointments were missed, of those that the merged patient's count tells.
  missed int not null,
  was_archived_at timestamptz,
  created_at timestamptz not null,
  undone_at timestamptz,
  primary key (clinic_id, id),
  foreign key (clinic_id, kept_id) references patients,
  foreign key (clinic_id, merged_id) references patients
);
create unique index patient_merges_standing on patient_merges (clinic_id, merged_id) where undone_at is null;
create index patient_merges_newest on patient_merges (clinic_id, created_at desc);
select tenant_table('patient_merges');
