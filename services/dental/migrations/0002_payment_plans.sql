-- Payment plans with their instalments, the payments on them, and the zones of clinics for what happens by the calendar.

create table payment_plans (
  clinic_id uuid not null,
  id uuid not null,
  patient_id uuid not null,
  treatment_plan_id uuid,
  description text not null,
  total_cents bigint not null check (total_cents > 0),
  -- The sum of the payments that are not voided, written under the lock of this row.
  paid_cents bigint not null default 0 check (paid_cents between 0 and total_cents),
  -- As last decided. Days that pass make an active plan overdue without a change of this row: rules/payment-status.ts.
  status text not null check (status in ('active', 'paid', 'overdue', 'cancelled')),
  -- Day of the first instalment that is not covered.
  next_due_date date,
  reminder_enabled boolean not null,
  reminder_day_of_month int check (reminder_day_of_month between 1 and 28),
  -- First day of the month that was last reminded of.
  reminded_month date,
  notes text,
  revision int not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (clinic_id, id),
  foreign key (clinic_id, treatment_plan_id) references treatment_plans
);
create index payment_plans_newest on payment_plans (clinic_id, created_at desc, id desc);
create index payment_plans_by_patient on payment_plans (clinic_id, patient_id, created_at desc, id desc);
-- The nightly and the hourly job look only at what may be theirs.
create index payment_plans_active_due on payment_plans (next_due_date) where status = 'active';
create index payment_plans_to_remind on payment_plans (reminder_day_of_month) where reminder_enabled and status in ('active', 'overdue');
select tenant_table('payment_plans');

create table payment_instalments (
  clinic_id uuid not null,
  payment_plan_id uuid not null,
  number int not null check (number between 1 and 60),
  due_date date not null,
  amount_cents bigint not null check (amount_cents > 0),
  primary key (clinic_id, payment_plan_id, number),
  foreign key (clinic_id, payment_plan_id) references payment_plans on delete cascade
);
select tenant_table('payment_instalments');

create table payments (
  clinic_id uuid not null,
  id uuid not null,
  payment_plan_id uuid not null,
  amount_cents bigint not null check (amount_cents > 0),
  payment_method text not null check (payment_method in ('cash', 'transfer', 'card', 'other')),
  notes text,
  receipt_number int not null,
  balance_cents bigint not null check (balance_cents >= 0),
  paid_at timestamptz not null,
  voided_at timestamptz,
  void_reason text,
  primary key (clinic_id, id),
  constraint payments_receipt_unique unique (clinic_id, receipt_number),
  foreign key (clinic_id, payment_plan_id) references payment_plans,
  check ((voided_at is null) = (void_reason is null))
);
create index payments_by_plan on payments (clinic_id, payment_plan_id, paid_at, id);
select tenant_table('payments');

-- Where each clinic's days begin, as identity's events tell.
create table clinic_zones (
  clinic_id uuid primary key,
  timezone text not null,
  revision int not null
);
select tenant_table('clinic_zones');
