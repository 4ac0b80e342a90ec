-- Recall campaigns, whom they wrote to, and what is known of patients and visits from scheduling's events.

create table recall_campaigns (
  clinic_id uuid not null,
  id uuid not null,
  name text not null,
  procedure_type text,
  recall_interval_days int not null check (recall_interval_days between 1 and 3650),
  message_template text not null,
  -- In UTC-6.
  send_time time not null,
  max_attempts int not null check (max_attempts between 1 and 5),
  retry_interval_days int not null check (retry_interval_days between 1 and 365),
  is_active boolean not null,
  revision int not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (clinic_id, id)
);
select tenant_table('recall_campaigns');

-- Patients as events tell of them; the highest revision wins. Revision 0: only known by name of an event without a state.
create table recall_patients (
  clinic_id uuid not null,
  patient_id uuid not null,
  opted_out boolean not null,
  -- When that was first heard of.
  opted_out_at timestamptz,
  has_phone boolean not null,
  is_archived boolean not null,
  revision int not null,
  primary key (clinic_id, patient_id)
);
create index recall_patients_opted_out on recall_patients (clinic_id, opted_out_at) where opted_out;
select tenant_table('recall_patients');

-- Visits as events tell of them; the highest revision wins.
create table recall_visits (
  clinic_id uuid not null,
  appointment_id uuid not null,
  patient_id uuid not null,
  appointment_date date not null,
  starts_at timestamptz not null,
  status text not null,
  revision int not null,
  primary key (clinic_id, appointment_id)
);
create index recall_visits_by_patient on recall_visits (clinic_id, patient_id, status, starts_at);
select tenant_table('recall_visits');

create table recall_contacts (
  clinic_id uuid not null,
  id uuid not null,
  campaign_id uuid not null,
  patient_id uuid not null,
  -- On which the message is sent, in UTC-6.
  day date not null,
  -- The visit since which the patient is absent: its date names the cycle that attempts are counted in.
  last_visit date not null,
  attempt int not null check (attempt >= 1),
  due_at timestamptz not null,
  status text not null check (status in ('queued', 'sent', 'delivered', 'read', 'responded', 'failed', 'opted_out')),
  failure text,
  -- Taken back before it was sent: no attempt.
  withdrawn boolean not null default false,
  -- When messaging was told to send it.
  released_at timestamptz,
  sent_at timestamptz,
  delivered_at timestamptz,
  read_at timestamptz,
  responded_at timestamptz,
  -- Booked after the answer.
  appointment_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (clinic_id, id),
  -- Messaging names a contact without its clinic.
  unique (id),
  foreign key (clinic_id, campaign_id) references recall_campaigns,
  -- Two campaigns never write to one person on one day, and a run that is repeated writes nothing twice.
  constraint recall_contacts_once_a_day unique (clinic_id, patient_id, day)
);
create index recall_contacts_by_campaign on recall_contacts (clinic_id, campaign_id, created_at desc, id desc);
create index recall_contacts_due on recall_contacts (due_at) where status = 'queued' and released_at is null;
create index recall_contacts_sent on recall_contacts (clinic_id, sent_at) where sent_at is not null;
select tenant_table('recall_contacts');

-- Which clinics the nightly run has done: where a run that was killed goes on.
create table recall_runs (
  clinic_id uuid not null,
  day date not null,
  queued int not null,
  primary key (clinic_id, day)
);
create index recall_runs_old on recall_runs (day);
select tenant_table('recall_runs');

-- Lower case without accents, a blank before and after each word, so that `limpieza` is found in `Limpieza dental`.
create function procedure_words(name text) returns text language sql immutable parallel safe
  set search_path = public, pg_temp
  return ' ' || btrim(regexp_replace(lower(public.unaccent('public.unaccent'::regdictionary, name)), '[^a-z0-9]+', ' ', 'g')) || ' ';
