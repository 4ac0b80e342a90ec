-- Kinds of appointments with a length of their own, and the chairs and rooms that some of them need.
create table appointment_types (
  clinic_id uuid not null,
  id uuid not null,
  name text not null,
  duration_minutes int not null check (duration_minutes between 5 and 480),
  color text not null,
  -- Null: needs no resource.
  resource_kind text check (resource_kind in ('chair', 'room')),
  online_bookable boolean not null,
  -- Appointments keep a type that was deleted.
  is_active boolean not null default true,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (clinic_id, id)
);
create unique index appointment_types_name_unique on appointment_types (clinic_id, lower(name)) where is_active;
select tenant_table('appointment_types');

-- The doctors of a type. A type without a row here is offered by every doctor.
create table appointment_type_doctors (
  clinic_id uuid not null,
  type_id uuid not null,
  doctor_id uuid not null,
  primary key (clinic_id, type_id, doctor_id),
  foreign key (clinic_id, type_id) references appointment_types,
  foreign key (clinic_id, doctor_id) references doctors
);
create index appointment_type_doctors_by_doctor on appointment_type_doctors (clinic_id, doctor_id);
select tenant_table('appointment_type_doctors');

create table resources (
  clinic_id uuid not null,
  id uuid not null,
  name text not null,
  kind text not null check (kind in ('chair', 'room')),
  is_active boolean not null default true,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (clinic_id, id)
);
create unique index resources_name_unique on resources (clinic_id, lower(name)) where is_active;
select tenant_table('resources');

alter table appointments
  add column type_id uuid,
  -- Null: the consultation of the doctor.
  add column duration_minutes int,
  add column resource_id uuid,
  add constraint appointments_type foreign key (clinic_id, type_id) references appointment_types not valid,
  add constraint appointments_resource foreign key (clinic_id, resource_id) references resources not valid;
-- locks appointments: the new columns are null, so the index is empty; the table is read once, about 0.2 s for a million rows
alter table appointments add constraint appointments_resource_no_overlap
  exclude using gist (clinic_id with =, resource_id with =, busy with &&) where (resource_id is not null and status in ('confirmed', 'pending'));

alter table slot_drafts
  add column type_id uuid,
  add column duration_minutes int,
  add column resource_id uuid;

alter table waitlist_entries
  add column type_id uuid,
  add column duration_minutes int,
  add constraint waitlist_entries_type foreign key (clinic_id, type_id) references appointment_types not valid;
