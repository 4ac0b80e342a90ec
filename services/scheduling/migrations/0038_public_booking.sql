-- Bookings that patients begin on the booking page: a draft holds the slot until a code proves the phone.
create table booking_requests (
  clinic_id uuid not null,
  id uuid not null,
  type_id uuid not null,
  doctor_id uuid not null,
  appointment_date date not null,
  start_time time not null,
  draft_id uuid not null,
  full_name text not null,
  phone text not null,
  email text,
  notes text,
  wrong_codes int not null default 0,
  -- sent: a code went by chat; mailed: by mail; booked; requested: an appointment that the desk confirms.
  state text not null check (state in ('new', 'sent', 'mailed', 'locked', 'booked', 'requested')),
  appointment_id uuid,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (clinic_id, id),
  foreign key (clinic_id, appointment_id) references appointments
);
create index booking_requests_by_time on booking_requests (clinic_id, created_at);
create index booking_requests_by_phone on booking_requests (clinic_id, phone, created_at);
create index booking_requests_by_appointment on booking_requests (clinic_id, appointment_id) where appointment_id is not null;
create index booking_requests_old on booking_requests (created_at);
select tenant_table('booking_requests');

-- The phone that somebody named without proving it. Such a record is archived and becomes part of a patient when the desk confirms the appointment.
alter table patients add column claimed_phone text;
alter table patients drop constraint patients_reachable;
alter table patients add constraint patients_reachable
  check (phone is not null or guardian_id is not null or erased_at is not null or (claimed_phone is not null and archived_at is not null)) not valid;

alter table appointments drop constraint appointments_source_check;
alter table appointments add constraint appointments_source_check check (source in ('manual', 'chat', 'waitlist', 'online')) not valid;

-- Doctors whom the booking page offers, where they offer a type that can be booked online.
alter table doctors add column online_bookable boolean not null default true;
