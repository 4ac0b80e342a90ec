-- Slots held for a few minutes while somebody fills in the rest. Who holds or books first is decided under the doctor's
-- row lock, which every door to a slot takes (claim-slot.ts); an expired draft holds nothing, whether or not it is there.
create table slot_drafts (
  clinic_id uuid not null,
  id uuid not null,
  doctor_id uuid not null,
  appointment_date date not null,
  start_time time not null,
  busy tstzrange not null check (not isempty(busy)),
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (clinic_id, id),
  foreign key (clinic_id, doctor_id) references doctors on delete cascade
);
create index slot_drafts_by_doctor on slot_drafts using gist (clinic_id, doctor_id, busy);
create index slot_drafts_expired on slot_drafts (expires_at);
select tenant_table('slot_drafts');
