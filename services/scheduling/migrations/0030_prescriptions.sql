-- Prescriptions. They never change: names and licence number are those of the day on which they were written.
create table prescriptions (
  clinic_id uuid not null,
  id uuid not null,
  -- Of the clinic, from 1 without gaps.
  number int not null,
  patient_id uuid not null,
  patient_name text not null,
  patient_birth_date date,
  author_id uuid not null,
  author_name text not null,
  license_number text,
  -- [{drug, dose, frequency, duration, notes}]
  items jsonb not null,
  created_at timestamptz not null,
  primary key (clinic_id, id),
  constraint prescriptions_number_unique unique (clinic_id, number),
  foreign key (clinic_id, patient_id) references patients
);
create index prescriptions_by_patient on prescriptions (clinic_id, patient_id, created_at);
select tenant_table('prescriptions');

create function prescription_stays() returns trigger language plpgsql as $$
begin
  raise exception 'prescription % cannot change', old.id;
end
$$;
create trigger prescriptions_stay before update on prescriptions for each row execute function prescription_stays();

-- The last number that a clinic used.
create table prescription_numbers (
  clinic_id uuid primary key,
  last int not null
);
select tenant_table('prescription_numbers');

-- Links by which patients open a prescription until they expire.
create table prescription_links (
  clinic_id uuid not null,
  id uuid not null,
  prescription_id uuid not null,
  channel text not null check (channel in ('chat', 'mail')),
  sent_by uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (clinic_id, id),
  foreign key (clinic_id, prescription_id) references prescriptions
);
create index prescription_links_by_prescription on prescription_links (clinic_id, prescription_id);
select tenant_table('prescription_links');
