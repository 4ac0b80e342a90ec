-- The dashboard of each week or month by mail: who receives it, and which ones are due or sent, so that each is sent once.
create table report_subscriptions (
  clinic_id uuid not null,
  user_id uuid not null,
  period text not null check (period in ('week', 'month')),
  created_at timestamptz not null,
  primary key (clinic_id, user_id, period)
);
select tenant_table('report_subscriptions');

create table report_mails (
  clinic_id uuid not null,
  user_id uuid not null,
  period text not null check (period in ('week', 'month')),
  first_date date not null,
  created_at timestamptz not null,
  primary key (clinic_id, user_id, period, first_date)
);
create index report_mails_old on report_mails (first_date);
select tenant_table('report_mails');
