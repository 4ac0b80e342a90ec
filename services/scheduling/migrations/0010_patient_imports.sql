-- Patients from CSV files. The file waits in sealed pieces until it is imported; each batch of rows and the row that it ends
-- with are written in one transaction, so that an import that was interrupted goes on where it stood.
create table patient_imports (
  clinic_id uuid not null,
  id uuid not null,
  dry_run boolean not null,
  country text not null,
  status text not null default 'receiving' check (status in ('receiving', 'running', 'done')),
  bytes bigint not null default 0,
  bytes_read bigint not null default 0,
  -- Rows done, without the header.
  rows_read int not null default 0,
  created int not null default 0,
  updated int not null default 0,
  skipped int not null default 0,
  faults int not null default 0,
  created_by text not null,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (clinic_id, id)
);
create index patient_imports_old on patient_imports (created_at);
select tenant_table('patient_imports');

create table patient_import_chunks (
  clinic_id uuid not null,
  import_id uuid not null,
  seq int not null check (seq >= 0),
  content_sealed bytea not null,
  primary key (clinic_id, import_id, seq),
  foreign key (clinic_id, import_id) references patient_imports on delete cascade
);
-- Sealed bytes do not shrink.
alter table patient_import_chunks alter column content_sealed set storage external;
select tenant_table('patient_import_chunks');

-- What is wrong with a row, never what it holds.
create table patient_import_faults (
  clinic_id uuid not null,
  import_id uuid not null,
  number int not null,
  row int not null,
  column_name text not null,
  message text not null,
  primary key (clinic_id, import_id, number),
  foreign key (clinic_id, import_id) references patient_imports on delete cascade
);
select tenant_table('patient_import_faults');
