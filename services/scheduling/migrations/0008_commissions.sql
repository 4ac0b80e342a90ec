-- What doctors earn of payments. Rules are kept with the moment from which they count, so that a payment that is heard of
-- late is measured by the rule of its own time. Lines of the ledger are added, never changed.
create table commission_rules (
  clinic_id uuid not null,
  doctor_id uuid not null,
  valid_from timestamptz not null,
  type text not null check (type in ('percentage', 'fixed')),
  -- Hundredths of a percent, or cents.
  value bigint not null check (value >= 0 and (type = 'fixed' or value <= 10000)),
  primary key (clinic_id, doctor_id, valid_from),
  foreign key (clinic_id, doctor_id) references doctors
);
select tenant_table('commission_rules');

create table commission_entries (
  clinic_id uuid not null,
  id uuid not null,
  doctor_id uuid not null,
  kind text not null check (kind in ('earned', 'reversed')),
  -- These four belong to dental, or are only told.
  payment_id uuid not null,
  payment_plan_id uuid not null,
  patient_id uuid not null,
  appointment_id uuid not null,
  payment_cents bigint not null check (payment_cents > 0),
  rule_type text not null check (rule_type in ('percentage', 'fixed')),
  rule_value bigint not null,
  amount_cents bigint not null check ((kind = 'earned' and amount_cents >= 0) or (kind = 'reversed' and amount_cents <= 0)),
  date date not null,
  created_at timestamptz not null,
  primary key (clinic_id, id),
  -- A payment is earned from once and reversed once, however often and in whichever order its events arrive.
  constraint commission_entries_once unique (clinic_id, payment_id, kind),
  foreign key (clinic_id, doctor_id) references doctors
);
-- A void that comes before the news of its payment waits here.
create table commission_voids (
  clinic_id uuid not null,
  payment_id uuid not null,
  voided_at timestamptz not null,
  primary key (clinic_id, payment_id)
);
select tenant_table('commission_voids');

create index commission_entries_by_date on commission_entries (clinic_id, date desc, created_at desc, id desc);
create index commission_entries_by_doctor on commission_entries (clinic_id, doctor_id, date);
select tenant_table('commission_entries');
