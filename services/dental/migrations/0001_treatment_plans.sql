-- Treatment plans with their options and steps, the clinic's prices, and the quotes that patients accept.

create table treatment_plans (
  clinic_id uuid not null,
  id uuid not null,
  patient_id uuid not null,
  title text not null,
  status text not null default 'active' check (status in ('active', 'completed', 'paused', 'cancelled')),
  -- What somebody has said the whole will cost. Null: the steps say it.
  given_total_cents bigint check (given_total_cents > 0),
  notes text,
  -- Grows with each change of the plan, its options or its steps.
  revision int not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (clinic_id, id)
);
create index treatment_plans_newest on treatment_plans (clinic_id, created_at desc, id desc);
create index treatment_plans_by_patient on treatment_plans (clinic_id, patient_id, created_at desc, id desc);
select tenant_table('treatment_plans');

-- Alternatives of one plan, for example a crown or an implant. A plan has at least one, and one is chosen.
create table treatment_options (
  clinic_id uuid not null,
  treatment_plan_id uuid not null,
  id uuid not null,
  name text not null,
  is_chosen boolean not null,
  created_at timestamptz not null,
  primary key (clinic_id, treatment_plan_id, id),
  foreign key (clinic_id, treatment_plan_id) references treatment_plans on delete cascade
);
-- Checked at once: who chooses another option first lets go of the old one.
create unique index treatment_options_one_chosen on treatment_options (clinic_id, treatment_plan_id) where is_chosen;
select tenant_table('treatment_options');

create table treatment_steps (
  clinic_id uuid not null,
  id uuid not null,
  treatment_plan_id uuid not null,
  option_id uuid not null,
  step_order int not null check (step_order >= 1),
  procedure text not null,
  procedure_code text,
  tooth int,
  surfaces text[] not null default '{}',
  status text not null check (status in ('pending', 'scheduled', 'completed', 'skipped')),
  estimated_cost_cents bigint check (estimated_cost_cents > 0),
  notes text,
  appointment_id uuid,
  -- The visit has completed the step, so that taking the completion of the visit back takes this one back too.
  completed_by_visit boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (clinic_id, id),
  foreign key (clinic_id, treatment_plan_id, option_id) references treatment_options on delete cascade,
  -- Deferred, since renumbering passes through states in which two steps share a number.
  constraint treatment_steps_order_unique unique (clinic_id, treatment_plan_id, option_id, step_order) deferrable initially deferred
);
create index treatment_steps_by_visit on treatment_steps (clinic_id, appointment_id) where appointment_id is not null;
select tenant_table('treatment_steps');

-- The newest that is known of each visit. Its row is the lock between a visit that changes and a step that is linked to it.
create table visit_states (
  clinic_id uuid not null,
  appointment_id uuid not null,
  status text not null,
  revision int not null,
  primary key (clinic_id, appointment_id)
);
select tenant_table('visit_states');

-- What the clinic takes for a procedure.
create table prices (
  clinic_id uuid not null,
  code text not null,
  name text not null,
  price_cents bigint not null check (price_cents > 0),
  updated_at timestamptz not null,
  primary key (clinic_id, code)
);
select tenant_table('prices');

-- Numbers that a clinic gives out without gaps, by what they number.
create table counters (
  clinic_id uuid not null,
  kind text not null,
  last int not null,
  primary key (clinic_id, kind)
);
select tenant_table('counters');

-- A price promise as it was given, with its lines. It is never changed: not even the request role can.
create table quotes (
  clinic_id uuid not null,
  id uuid not null,
  treatment_plan_id uuid not null,
  option_id uuid not null,
  number int not null,
  title text not null,
  option_name text not null,
  lines jsonb not null,
  total_cents bigint not null,
  valid_until date not null,
  created_at timestamptz not null,
  primary key (clinic_id, id),
  constraint quotes_number_unique unique (clinic_id, number),
  foreign key (clinic_id, treatment_plan_id) references treatment_plans
);
create index quotes_newest on quotes (clinic_id, treatment_plan_id, number desc);
select tenant_table('quotes');

-- The patient's yes. The primary key decides that a quote is accepted once.
create table quote_acceptances (
  clinic_id uuid not null,
  quote_id uuid not null,
  -- Name and signature are sealed: who has signed is the patient's matter.
  signer_sealed bytea not null,
  signature_sealed bytea,
  signed_on date not null,
  accepted_at timestamptz not null,
  constraint quote_acceptances_once primary key (clinic_id, quote_id),
  foreign key (clinic_id, quote_id) references quotes
);
select tenant_table('quote_acceptances');

do $$ begin
  execute format('revoke update, delete on quotes, quote_acceptances from clinic_%1$s, clinic_%1$s_system', current_schema());
end $$;
