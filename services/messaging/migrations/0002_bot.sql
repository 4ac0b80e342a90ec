-- Where talks with the bot stand, a clinic's own words, and reminders.

-- One talk a phone. The state is the bot's own; silent for half an hour, it begins anew.
create table bot_sessions (
  clinic_id uuid not null,
  phone text not null,
  state jsonb not null,
  updated_at timestamptz not null,
  primary key (clinic_id, phone)
);
select tenant_table('bot_sessions');

create table bot_texts (
  clinic_id uuid not null,
  key text not null,
  language text not null check (language in ('es', 'en')),
  text text not null,
  updated_at timestamptz not null,
  primary key (clinic_id, key, language)
);
select tenant_table('bot_texts');

-- Local times between which nothing is sent by itself.
create table reminder_settings (
  clinic_id uuid primary key,
  is_enabled boolean not null default true,
  quiet_from time not null default '21:00',
  quiet_until time not null default '07:00',
  updated_at timestamptz not null
);
select tenant_table('reminder_settings');

-- Two a visit, written with its first news and kept, so that late news of an older revision finds that it is late.
create table reminders (
  clinic_id uuid not null,
  appointment_id uuid not null,
  kind text not null check (kind in ('day', 'hours')),
  -- Of the visit, as far as it is known here.
  revision int not null,
  starts_at timestamptz not null,
  -- Null when there is nothing to send.
  due_at timestamptz,
  state text not null check (state in ('planned', 'queued', 'none')),
  updated_at timestamptz not null,
  primary key (clinic_id, appointment_id, kind)
);
create index reminders_due on reminders (due_at) where state = 'planned';
select tenant_table('reminders');
