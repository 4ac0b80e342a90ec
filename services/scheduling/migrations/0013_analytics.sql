-- What the dashboard shows, made of events. Three kinds of tables: what is known of money and treatment, which belongs to
-- dental and billing; what follows of that for each day (lines); and sums by day, so that a year is read from a few
-- thousand rows. Lines and sums are not added to: those that a change touches are made anew.

-- The zone in which a clinic's money was laid to days. Its row is the lock of the clinic's figures.
create table analytics_clinics (
  clinic_id uuid primary key,
  timezone text not null
);
select tenant_table('analytics_clinics');

-- Visits of a day and doctor, counted from appointments.
create table analytics_days (
  clinic_id uuid not null,
  date date not null,
  doctor_id uuid not null,
  confirmed int not null,
  pending int not null,
  completed int not null,
  cancelled int not null,
  no_show int not null,
  -- Of all of these, those that were booked so.
  chat int not null,
  waitlist int not null,
  -- Held by visits that are neither cancelled nor missed: consultation and buffer.
  minutes int not null,
  primary key (clinic_id, date, doctor_id)
);
create index analytics_days_by_doctor on analytics_days (clinic_id, doctor_id, date);
select tenant_table('analytics_days');

-- Visits that are not cancelled, by the hour in which they begin.
create table analytics_hours (
  clinic_id uuid not null,
  date date not null,
  hour int not null check (hour between 0 and 23),
  visits int not null,
  primary key (clinic_id, date, hour)
);
select tenant_table('analytics_hours');

-- Days on which a patient was seen, with the day before: new is who has none, and who counts in a period is counted on the
-- day whose day before is not in it.
create table analytics_patient_days (
  clinic_id uuid not null,
  patient_id uuid not null,
  date date not null,
  previous_date date,
  primary key (clinic_id, patient_id, date)
);
create index analytics_patient_days_by_date on analytics_patient_days (clinic_id, date, previous_date);
select tenant_table('analytics_patient_days');

-- Treatment plans as dental tells of them.
create table analytics_treatments (
  clinic_id uuid not null,
  treatment_plan_id uuid not null,
  patient_id uuid not null,
  status text not null,
  total_cents bigint not null,
  opened_at timestamptz not null,
  opened_on date not null,
  -- A quote was accepted, or a step is scheduled or done.
  accepted boolean not null,
  -- Steps of an active plan that wait for a visit.
  unscheduled_steps int not null,
  unscheduled_cents bigint not null,
  -- [{procedure, cents}] of the steps that are not skipped.
  steps jsonb not null,
  revision int not null,
  primary key (clinic_id, treatment_plan_id)
);
create index analytics_treatments_by_day on analytics_treatments (clinic_id, opened_on)
  include (status, accepted, total_cents, unscheduled_steps, unscheduled_cents);
create index analytics_treatments_unscheduled on analytics_treatments (clinic_id, opened_on)
  include (unscheduled_steps, unscheduled_cents) where unscheduled_steps > 0;
select tenant_table('analytics_treatments');

-- The visits in which steps of treatment plans are done.
create table analytics_treatment_visits (
  clinic_id uuid not null,
  appointment_id uuid not null,
  treatment_plan_id uuid not null,
  primary key (clinic_id, appointment_id, treatment_plan_id),
  foreign key (clinic_id, treatment_plan_id) references analytics_treatments on delete cascade
);
create index analytics_treatment_visits_by_plan on analytics_treatment_visits (clinic_id, treatment_plan_id);
select tenant_table('analytics_treatment_visits');

-- Payment plans as dental tells of them.
create table analytics_payment_plans (
  clinic_id uuid not null,
  payment_plan_id uuid not null,
  patient_id uuid not null,
  treatment_plan_id uuid,
  status text not null,
  total_cents bigint not null,
  opened_at timestamptz not null,
  -- [{due_date, cents}]
  instalments jsonb not null,
  -- [{payment_id, cents, paid_at}], without those that were voided.
  payments jsonb not null,
  revision int not null,
  primary key (clinic_id, payment_plan_id)
);
create index analytics_payment_plans_by_treatment on analytics_payment_plans (clinic_id, treatment_plan_id) where treatment_plan_id is not null;
select tenant_table('analytics_payment_plans');

-- Payments, shared among the procedures that they pay for, with the doctor who earned them.
create table analytics_revenue (
  clinic_id uuid not null,
  payment_id uuid not null,
  -- '' when it is not known.
  procedure text not null,
  payment_plan_id uuid not null,
  date date not null,
  -- Null when it is not known.
  doctor_id uuid,
  cents bigint not null,
  primary key (clinic_id, payment_id, procedure),
  foreign key (clinic_id, payment_plan_id) references analytics_payment_plans on delete cascade
);
create index analytics_revenue_by_plan on analytics_revenue (clinic_id, payment_plan_id);
create index analytics_revenue_by_day on analytics_revenue (clinic_id, date);
select tenant_table('analytics_revenue');

create table analytics_revenue_days (
  clinic_id uuid not null,
  date date not null,
  doctor_id uuid,
  cents bigint not null,
  unique nulls not distinct (clinic_id, date, doctor_id)
);
select tenant_table('analytics_revenue_days');

create table analytics_procedure_days (
  clinic_id uuid not null,
  date date not null,
  procedure text not null,
  cents bigint not null,
  primary key (clinic_id, date, procedure)
);
select tenant_table('analytics_procedure_days');

-- What is owed, by the day on which it is due: a plan that is opened adds, a payment takes off. So the debt of any day, by
-- its age, is the sum of what came until then. 9999-12-31 is due on no day.
create table analytics_receivables (
  clinic_id uuid not null,
  payment_plan_id uuid not null,
  date date not null,
  due_date date not null,
  cents bigint not null,
  primary key (clinic_id, payment_plan_id, date, due_date),
  foreign key (clinic_id, payment_plan_id) references analytics_payment_plans on delete cascade
);
create index analytics_receivables_by_day on analytics_receivables (clinic_id, date);
select tenant_table('analytics_receivables');

create table analytics_receivable_days (
  clinic_id uuid not null,
  date date not null,
  due_date date not null,
  cents bigint not null,
  primary key (clinic_id, date, due_date)
);
select tenant_table('analytics_receivable_days');

-- Tax documents as billing tells of them, and their sums by day: those that count as issued, credit notes taken off.
create table analytics_documents (
  clinic_id uuid not null,
  document_id uuid not null,
  type text not null,
  status text not null,
  issued_on date not null,
  total_cents bigint not null,
  revision int not null,
  primary key (clinic_id, document_id)
);
create index analytics_documents_by_day on analytics_documents (clinic_id, issued_on);
select tenant_table('analytics_documents');

create table analytics_document_days (
  clinic_id uuid not null,
  date date not null,
  documents int not null,
  cents bigint not null,
  primary key (clinic_id, date)
);
select tenant_table('analytics_document_days');
