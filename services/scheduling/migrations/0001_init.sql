-- Doctors with their weekly hours, patients, and the appointments between them.

create table doctors (
  clinic_id uuid not null,
  id uuid not null,
  full_name text not null,
  specialty text,
  bio text,
  photo_url text,
  consultation_duration_minutes int not null check (consultation_duration_minutes between 5 and 480),
  buffer_time_minutes int not null check (buffer_time_minutes between 0 and 240),
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (clinic_id, id)
);
create index doctors_active on doctors (clinic_id, full_name, id) where is_active;
select tenant_table('doctors');

create table doctor_working_hours (
  clinic_id uuid not null,
  doctor_id uuid not null,
  id uuid not null,
  day_of_week int not null check (day_of_week between 0 and 6),
  start_time time not null,
  end_time time not null check (end_time > start_time),
  is_active boolean not null default true,
  primary key (clinic_id, doctor_id, id),
  foreign key (clinic_id, doctor_id) references doctors on delete cascade
);
select tenant_table('doctor_working_hours');

create table doctor_breaks (
  clinic_id uuid not null,
  doctor_id uuid not null,
  id uuid not null,
  day_of_week int not null check (day_of_week between 0 and 6),
  start_time time not null,
  end_time time not null check (end_time > start_time),
  primary key (clinic_id, doctor_id, id),
  foreign key (clinic_id, doctor_id) references doctors on delete cascade
);
select tenant_table('doctor_breaks');

create table doctor_vacations (
  clinic_id uuid not null,
  doctor_id uuid not null,
  id uuid not null,
  start_date date not null,
  end_date date not null check (end_date >= start_date),
  reason text,
  created_at timestamptz not null default now(),
  primary key (clinic_id, doctor_id, id),
  foreign key (clinic_id, doctor_id) references doctors on delete cascade
);
select tenant_table('doctor_vacations');

create table patients (
  clinic_id uuid not null,
  id uuid not null,
  full_name text not null,
  -- Lower case, without accents, a space before each word: '% mar%' finds every word that begins so.
  search_name text not null,
  phone text,
  dui_sealed bytea,
  dui_index bytea,
  dui_verified boolean,
  email text,
  birth_date date,
  gender text check (gender in ('female', 'male', 'other')),
  address text,
  notes text,
  no_show_count int not null default 0 check (no_show_count >= 0),
  recall_opted_out boolean not null default false,
  guardian_id uuid,
  archived_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (clinic_id, id),
  constraint patients_phone_unique unique (clinic_id, phone),
  foreign key (clinic_id, guardian_id) references patients,
  check (phone is not null or guardian_id is not null)
);
create index patients_by_name on patients (clinic_id, search_name, id) where archived_at is null;
create index patients_by_part on patients using gin (clinic_id, search_name gin_trgm_ops, phone gin_trgm_ops) where archived_at is null;
create index patients_by_dui on patients (clinic_id, dui_index) where dui_index is not null;
select tenant_table('patients');

create table appointments (
  clinic_id uuid not null,
  id uuid not null,
  doctor_id uuid not null,
  patient_id uuid not null,
  appointment_date date not null,
  start_time time not null,
  end_time time not null,
  starts_at timestamptz not null,
  -- The consultation and the buffer after it.
  busy tstzrange not null check (lower(busy) = starts_at and not isempty(busy)),
  status text not null check (status in ('confirmed', 'pending', 'completed', 'cancelled', 'no_show')),
  source text not null check (source in ('manual', 'chat', 'waitlist')),
  notes text,
  idempotency_key text not null,
  cancellation_reason text,
  cancelled_at timestamptz,
  completed_at timestamptz,
  revision int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (clinic_id, id),
  constraint appointments_idempotency_key_unique unique (clinic_id, idempotency_key),
  foreign key (clinic_id, doctor_id) references doctors,
  foreign key (clinic_id, patient_id) references patients,
  -- Who gets the slot is decided here, whichever door the booking came through. Cancelled, completed and missed visits
  -- hold nothing.
  constraint appointments_no_overlap exclude using gist (clinic_id with =, doctor_id with =, busy with &&)
    where (status in ('confirmed', 'pending'))
);
create index appointments_by_day on appointments (clinic_id, appointment_date, start_time, id);
create index appointments_by_doctor on appointments (clinic_id, doctor_id, appointment_date);
create index appointments_by_patient on appointments (clinic_id, patient_id, starts_at);
create index appointments_by_chat on appointments (clinic_id, created_at) where source = 'chat';
select tenant_table('appointments');
