-- Files of patients. Their contents are outside the database, encrypted with the key of the row.
create table patient_files (
  clinic_id uuid not null,
  id uuid not null,
  patient_id uuid not null,
  name text not null,
  -- Null until the type of the content is known, unless the client has said it.
  kind text check (kind in ('xray', 'photo', 'document', 'other')),
  description text,
  content_type text,
  size bigint not null default 0,
  -- SHA-256 of the content.
  hash bytea,
  key_sealed bytea not null,
  -- WebP. Null: not an image, or not made yet.
  thumbnail_sealed bytea,
  -- Null: made by the product.
  uploaded_by uuid,
  created_at timestamptz not null,
  -- When its size began to count for the quota of the plan.
  reserved_at timestamptz,
  -- Null while it is being uploaded.
  stored_at timestamptz,
  primary key (clinic_id, id),
  foreign key (clinic_id, patient_id) references patients,
  check (stored_at is null or (kind is not null and content_type is not null and hash is not null and reserved_at is not null))
);
create index patient_files_by_patient on patient_files (clinic_id, patient_id, created_at);
create index patient_files_sizes on patient_files (clinic_id) include (size) where reserved_at is not null;
create index patient_files_unstored on patient_files (created_at) where stored_at is null;
select tenant_table('patient_files');

-- What has arrived of a file, encrypted with its key.
create table patient_file_chunks (
  clinic_id uuid not null,
  file_id uuid not null,
  seq int not null check (seq >= 0),
  content_sealed bytea not null,
  primary key (clinic_id, file_id, seq),
  foreign key (clinic_id, file_id) references patient_files on delete cascade
);
alter table patient_file_chunks alter column content_sealed set storage external;
select tenant_table('patient_file_chunks');

-- Files whose rows were deleted, until their contents are deleted as well.
create table deleted_files (
  clinic_id uuid not null,
  id uuid not null,
  deleted_at timestamptz not null default now(),
  primary key (clinic_id, id)
);
select tenant_table('deleted_files');

create function file_deleted() returns trigger language plpgsql set search_path from current as $$
begin
  insert into deleted_files (clinic_id, id) values (old.clinic_id, old.id) on conflict do nothing;
  return null;
end
$$;
create trigger patient_files_deleted after delete on patient_files for each row execute function file_deleted();
