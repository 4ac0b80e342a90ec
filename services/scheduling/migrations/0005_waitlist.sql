-- Who waits for an earlier slot, and which slots they were offered. An offered slot is held by the slot draft that has the
-- offer's id; the desk cannot let go of it.
alter table slot_drafts add column kind text not null default 'desk' check (kind in ('desk', 'offer'));

create table waitlist_entries (
  clinic_id uuid not null,
  id uuid not null,
  patient_id uuid not null,
  doctor_id uuid,
  date_from date not null,
  date_to date not null check (date_to >= date_from),
  time_from time,
  time_to time check (time_to > time_from),
  notes text,
  status text not null default 'waiting' check (status in ('waiting', 'offered', 'booked', 'expired', 'left')),
  appointment_id uuid,
  revision int not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (clinic_id, id),
  foreign key (clinic_id, patient_id) references patients,
  foreign key (clinic_id, doctor_id) references doctors,
  -- An acceptance moves the entry before it books.
  foreign key (clinic_id, appointment_id) references appointments deferrable initially deferred,
  check ((status = 'booked') = (appointment_id is not null))
);
create index waitlist_by_arrival on waitlist_entries (clinic_id, created_at, id);
create index waitlist_waiting on waitlist_entries (clinic_id, created_at, id) where status = 'waiting';
create index waitlist_over on waitlist_entries (date_to) where status = 'waiting';
create index waitlist_by_patient on waitlist_entries (clinic_id, patient_id);
select tenant_table('waitlist_entries');

create table waitlist_offers (
  clinic_id uuid not null,
  id uuid not null,
  entry_id uuid not null,
  doctor_id uuid not null,
  appointment_date date not null,
  start_time time not null,
  end_time time not null,
  starts_at timestamptz not null,
  status text not null default 'open' check (status in ('open', 'accepted', 'declined', 'expired', 'withdrawn')),
  expires_at timestamptz not null,
  created_at timestamptz not null,
  primary key (clinic_id, id),
  foreign key (clinic_id, entry_id) references waitlist_entries on delete cascade,
  foreign key (clinic_id, doctor_id) references doctors,
  -- Nobody is asked twice about one slot, else a slot that nobody wants would go round for ever.
  constraint waitlist_offers_once unique (clinic_id, entry_id, doctor_id, starts_at)
);
create unique index waitlist_offers_one_open on waitlist_offers (clinic_id, entry_id) where status = 'open';
create index waitlist_offers_due on waitlist_offers (expires_at) where status = 'open';
select tenant_table('waitlist_offers');
