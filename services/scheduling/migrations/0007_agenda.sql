-- Who wants the day by mail in the morning, and who has had it: a row a day, so that nobody gets it twice.
create table agenda_subscriptions (
  clinic_id uuid not null,
  user_id uuid not null,
  created_at timestamptz not null,
  primary key (clinic_id, user_id)
);
select tenant_table('agenda_subscriptions');

create table agenda_mails (
  clinic_id uuid not null,
  user_id uuid not null,
  date date not null,
  created_at timestamptz not null,
  primary key (clinic_id, user_id, date)
);
create index agenda_mails_old on agenda_mails (date);
select tenant_table('agenda_mails');
